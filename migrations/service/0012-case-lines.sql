-- The first tool call of a case and the first reason why it failed, each as one line of a list. The read tables are rebuilt
-- after this.
ALTER TABLE cases ADD COLUMN call_line text;
ALTER TABLE cases ADD COLUMN failure_line text;
