// The keys of the Label screen, before Streamlit hears of them.
// One drawing of a question takes one answer: what comes until the next drawing is on screen was
// not meant for it. That holds for repeats of a held key, for a second key, for double clicks.
if (!window.ratchetKeys) {
  window.ratchetKeys = true;
  const TWINS = __TWINS__;
  const ANSWERS = new Set(__ANSWERS__);
  const PATIENCE_MS = 1500; // a drawing that never comes must not lock the keys for good
  const SETTLE_MS = 50; // buttons hear their new keys a moment after they are drawn
  let ready = null;
  let readyAt = 0;
  let spent = null;
  let spentAt = 0;
  let box = null;

  const drawn = () => document.querySelector("[data-lease]")?.dataset.drawn ?? null;
  const isTyping = (target) =>
    target instanceof Element && target.closest("input, textarea, select, [contenteditable=true]");
  // While a question is being drawn, its words can be there before its buttons.
  const isComplete = () => {
    const holder = document.querySelector(".st-key-answers, .st-key-reasons");
    if (holder === null) return true;
    const lease = document.querySelector("[data-lease]")?.dataset.lease;
    const buttons = [...holder.querySelectorAll('[class*="st-key-"]')];
    const isOfLease = (button) => [...button.classList].some((name) => name.endsWith(`-${lease}`));
    return buttons.length > 0 && buttons.every(isOfLease);
  };
  const isReady = () => ready === drawn() && performance.now() - readyAt > SETTLE_MS;
  window.ratchetHearsKeys = isReady;
  const isSpent = () => {
    const now = drawn();
    if (!isReady()) return true;
    if (now !== null && now === spent && performance.now() - spentAt < PATIENCE_MS) return true;
    spent = now;
    spentAt = performance.now();
    return false;
  };
  const drop = (event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const press = (target, type, key) =>
    target.dispatchEvent(
      new KeyboardEvent(type, { key, code: `Digit${key}`, bubbles: true, cancelable: true }),
    );

  // A note or a flag is typed at once: its box takes the cursor when it appears.
  const focusBox = () => {
    const found = document.querySelector(
      '[class*="st-key-note-"] textarea, [class*="st-key-flag-note-"] textarea',
    );
    if (found !== box) {
      box = found;
      box?.focus();
    }
  };
  new MutationObserver(() => {
    focusBox();
    if (drawn() !== ready && isComplete()) {
      ready = drawn();
      readyAt = performance.now();
    }
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
  window.addEventListener(
    "keydown",
    (event) => {
      // An input method owns every key while it composes, Escape and Enter too.
      if (event.isComposing) return event.stopImmediatePropagation();
      if (!event.isTrusted || isTyping(event.target)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if (event.repeat) return event.stopImmediatePropagation();
      if (!ANSWERS.has(key) && !(key in TWINS)) return;
      if (isSpent()) return drop(event);
      // A twin, and a digit of the number pad, speak as the key that the button shows.
      const main = TWINS[key] ?? key;
      if (main === key && !event.code.startsWith("Numpad")) return;
      if (event.shiftKey) return;
      drop(event);
      press(event.target, "keydown", main);
      press(event.target, "keyup", main);
    },
    true,
  );
  window.addEventListener(
    "click",
    (event) => {
      if (!event.isTrusted || !(event.target instanceof Element)) return;
      if (!event.target.closest(".st-key-answers button, .st-key-reasons button")) return;
      if (event.detail > 1 || isSpent()) drop(event);
    },
    true,
  );
}
