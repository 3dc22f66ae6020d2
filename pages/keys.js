// A key that is held down repeats; each repeat would answer a question nobody has read.
// Only keys on the page itself: in a text field a held key is typing.
if (!window.ratchetDropsRepeats) {
  window.ratchetDropsRepeats = true;
  const isTyping = (target) =>
    target instanceof Element && target.closest("input, textarea, select, [contenteditable=true]");
  window.addEventListener(
    "keydown",
    (event) => {
      if ((event.repeat || event.isComposing) && !isTyping(event.target)) {
        event.stopImmediatePropagation();
      }
    },
    true,
  );
}
