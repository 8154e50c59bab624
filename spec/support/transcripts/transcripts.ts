import { attach, digestOf, sendEvidence } from '../documents/parts.ts'
import type { Send } from '../servers/app.ts'

/** The bytes of a transcript: its head, and a line for each event; a text is a line as it is. */
export const transcriptOf = (events: readonly unknown[]): Buffer =>
  Buffer.from(
    [{ transcript: 1, source: { format: 'spec', version: '1' }, agent: { name: 'solver' } }, ...events]
      .map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`)
      .join(''),
  )

const at = (seconds: number): string => new Date(Date.parse('2026-05-04T09:00:00Z') + seconds * 1000).toISOString()

/** What an agent and its sub-agent did, with an error and text of strangers in it. */
export const AN_AGENT: readonly unknown[] = [
  { type: 'span', id: 'main', kind: 'agent', name: 'main', at: at(0) },
  { type: 'message', parent: 'main', role: 'system', content: 'You repair code.', at: at(0) },
  { type: 'message', parent: 'main', role: 'user', content: 'Find out why `dates` fails.', at: at(0) },
  {
    type: 'model',
    parent: 'main',
    model: 'large-2',
    input: [[0, 1]],
    output: 'The leap rule is asked before the century is added.',
    usage: { input_tokens: 6112, output_tokens: 402 },
    cost_usd: 0.0271,
    at: at(1),
    ms: 8400,
  },
  {
    type: 'message',
    parent: 'main',
    role: 'assistant',
    content: [
      { type: 'reasoning', reasoning: 'First the tests.' },
      { type: 'text', text: 'I run the **tests**.' },
    ],
    tool_calls: [{ id: 'c1', name: 'bash', arguments: { command: 'npm test' } }],
    at: at(9),
  },
  { type: 'span', id: 'sub', parent: 'main', kind: 'agent', name: 'explorer', at: at(9) },
  {
    type: 'tool',
    parent: 'sub',
    call: 'c1',
    name: 'bash',
    arguments: { command: 'npm test' },
    result: `${'line\n'.repeat(60)}<img src=x onerror="document.title = 'run'"> reads 29 February`,
    error: { message: 'exit 1' },
    at: at(10),
    ms: 4200,
  },
  { type: 'span_end', parent: 'sub', at: at(15) },
  { type: 'message', parent: 'main', role: 'tool', content: '<script>document.title = 1</script>', at: at(15) },
  'this line is no event',
  { type: 'limit', limit: { type: 'tokens', value: 500_000 }, at: at(16) },
  { type: 'score', name: 'tests pass', value: 0, passed: false, reason: 'One test fails.', at: at(17) },
]

/** Adds a transcript to a case of a run. Returns its digest. */
export const addTranscript = async (
  send: Send,
  { run_id, case_key }: { readonly run_id: string; readonly case_key: string },
  bytes: Buffer,
): Promise<string> => {
  const manifest = await sendEvidence(send, [{ bytes, role: 'transcript', case_key, name: 'sample 1' }])
  const { statusCode, body } = await attach(send, run_id, manifest)
  if (statusCode !== 201) throw new Error(`a transcript was answered with ${statusCode}: ${body}`)
  return digestOf(bytes)
}
