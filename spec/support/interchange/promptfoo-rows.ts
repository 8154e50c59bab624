/** A row of an evaluation as promptfoo writes it, with what a spec changes. */
export const promptfooRow = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  promptIdx: 0,
  testIdx: 0,
  promptId: 'f9b0078b5df596d2ea19010c001bbd009e651de2c57e8fb7e355f31eb9d3f739',
  provider: { id: 'openai:gpt-5', label: '' },
  prompt: { raw: 'Say a', label: 'short' },
  testCase: { vars: { word: 'a' } },
  vars: { word: 'a' },
  response: { output: 'a' },
  success: true,
  score: 1,
  latencyMs: 12,
  failureReason: 0,
  ...changes,
})

/** A row whose result has these components. */
export const gradedRow = (components: readonly unknown[], changes: Readonly<Record<string, unknown>> = {}) =>
  promptfooRow({ gradingResult: { pass: true, score: 1, reason: 'ok', componentResults: components }, ...changes })

/** The JSON output of an evaluation with these rows. */
export const promptfooExport = (
  rows: readonly unknown[],
  { config = {}, results = {}, ...top }: { readonly [key: string]: unknown } = {},
): string =>
  JSON.stringify({
    evalId: 'eval-1',
    results: { version: 3, timestamp: '2026-01-02T03:04:05.000Z', prompts: [], results: rows, ...(results as object) },
    config,
    ...top,
  })
