/** Why an answer may be empty, as far as this version knows: the vocabulary is open. */
export const EMPTY_REASONS: ReadonlySet<string> = new Set([
  'refusal',
  'truncated',
  'content_filter',
  'tool_use_only',
  'thinking_only',
  'no_content_blocks',
  'empty_body',
  'output_expr_empty',
  'blank',
])
