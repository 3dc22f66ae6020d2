"""The screens: each calls one workflow function and shows its answer."""
