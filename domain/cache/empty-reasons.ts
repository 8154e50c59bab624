/** The reasons for an empty output that this version knows, the most specific first. Clients may send others. */
export const EMPTY_REASONS: ReadonlySet<string> = new Set([
  'refusal',
  'content_filter',
  'truncated',
  'tool_use_only',
  'thinking_only',
  'no_content_blocks',
  'empty_body',
  'output_expr_empty',
  'blank',
])
