"""Parts of the Label screen: what is read, what is asked, what a press does."""
