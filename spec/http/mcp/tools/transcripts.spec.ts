import { afterAll, describe, expect, it } from 'vitest'
import { WARNING } from '../../../../domain/agent-text/fence.ts'
import { MAX_RESULT_BYTES } from '../../../../queries/agents/answer.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, sendEvidence } from '../../../support/documents/parts.ts'
import { ask, callTool, ENDLESS, MCP, type McpMessage } from '../../../support/http/mcp.ts'
import { openApp } from '../../../support/servers/app.ts'
import { addTranscript, AN_AGENT, transcriptOf } from '../../../support/transcripts/transcripts.ts'

const spec = await openApp({ mcp: MCP, publicUrl: 'https://evals.example', parts: () => ({ callBudget: ENDLESS }) })
afterAll(() => spec.close())
const write = spec.sendAs('write')
const place = { run_id: 'agent', case_key: aCase().case_key }
const files = { run_id: 'agent', case_key: aCase({ cell: { test_id: 'files' } }).case_key }
const call = (given: McpMessage, caller: 'read' | 'admin' = 'read') => callTool(spec.sendAs(caller), 'get_case', given)

/** Of 300 events, some of which are longer than what a tool returns. */
const LONG = Array.from({ length: 300 }, (_, i) => ({
  type: 'message',
  role: 'assistant',
  content: `${i === 250 ? 'a needle' : 'hay'} ${'x'.repeat(9_000)}`,
}))

await spec.ingest(
  aDocument({
    run_id: 'agent',
    cases: [aCase(), aCase({ cell: { test_id: 'bare' } }), aCase({ cell: { test_id: 'files' } })],
  }),
)
const first = await addTranscript(write, place, transcriptOf(AN_AGENT))
const long = await addTranscript(write, place, transcriptOf(LONG))
await spec.ingest(aDocument({ run_id: 'hidden', project: 'secret', cases: [aCase()] }))
await addTranscript(write, { ...place, run_id: 'hidden' }, transcriptOf(AN_AGENT))
await spec.restrict('secret')

const transcriptIn = async (given: McpMessage): Promise<Record<string, unknown>> =>
  (await call({ ...place, ...given })).data['transcript'] as Record<string, unknown>

describe('an agent that reads a case with evidence', () => {
  it('is shown that there is a transcript, and its outline once it asks', async () => {
    const { data } = await call(place)
    expect(data['case']).toMatchObject({
      evidence: { parts: 2, transcripts: 2 },
      transcript_omitted: 'left out: call get_case again with fields ["transcript"]',
    })
    expect(data['transcript']).toBeUndefined()
    const { text, data: asked, links } = await call({ ...place, fields: ['transcript'] })
    expect(asked['transcript']).toMatchObject({
      sha256: first,
      name: 'sample 1',
      complete: true,
      event_count: AN_AGENT.length,
      errors: 1,
      input_tokens: 6112,
      spans: [
        { n: 1, name: 'main', kind: 'agent' },
        { n: 6, parent: 1, name: 'explorer', errors: 1 },
      ],
      transcripts: [{ sha256: first }, { sha256: long }],
      next_event: null,
    })
    const { outline } = asked['transcript'] as { readonly outline: ReadonlyArray<Record<string, unknown>> }
    expect(outline.map(({ n, type, error }) => [n, type, error])[6]).toEqual([7, 'tool', true])
    expect(outline).toHaveLength(AN_AGENT.length)
    expect([asked['_warning'], text.startsWith('<untrusted source="stored_model_output"')]).toEqual([WARNING, true])
    expect(links).toMatchObject([{ uri: `https://evals.example/runs/agent/cases/${place.case_key}/transcript` }])
  })

  it('reads events in full from one on, with long texts cut as everywhere', async () => {
    const { events, next_event } = await transcriptIn({ from_event: 7 })
    expect((events as ReadonlyArray<Record<string, unknown>>)[0]).toMatchObject({
      n: 7,
      event: { type: 'tool', name: 'bash', error: { message: 'exit 1' } },
    })
    expect([(events as unknown[]).length, next_event]).toEqual([AN_AGENT.length - 6, null])
    const { data } = await call({ ...place, from_event: 7, max_chars: 10 })
    expect(data['_truncated']).toContainEqual({ path: '/transcript/events/0/event/result', kept: 10, total: 362 })
  })

  it('finds a text, and goes on after a list that was too large', async () => {
    // While the outline is being made, the search goes on after what is known.
    const found = await transcriptIn({ find: 'NEEDLE', sha256: long })
    if (found['complete'] === false) expect(found['next_event']).toBeGreaterThan(1)
    await expect
      .poll(() => transcriptIn({ find: 'NEEDLE', sha256: long }))
      .toMatchObject({ matches: [{ n: 251, type: 'message', error: false }], complete: true, next_event: null })
    const { data } = await call({ ...place, sha256: long, from_event: 1, max_chars: 20_000 })
    const { events, next_event } = data['transcript'] as { readonly events: unknown[]; readonly next_event: number }
    // Both forms of the result have to fit.
    expect([events.length, next_event]).toEqual([2, 3])
    expect(data['_truncated']).toContainEqual({ path: '/transcript/events', kept: 2, total: 20 })
    const whole = await transcriptIn({ sha256: long, fields: ['transcript'] })
    expect([(whole['outline'] as unknown[]).length, whole['next_event']]).toEqual([100, 101])
  })

  it('gets no more than 64 KiB, whatever it asks for', async () => {
    for (const from_event of [1, 100, 251, 299, 300, 301, 1_000_000_000])
      for (const max_chars of [1, 2_000, 20_000]) {
        const given = { name: 'get_case', arguments: { ...place, sha256: long, from_event, max_chars } }
        const { text } = await ask(spec.sendAs('read'), 'tools/call', given)
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_RESULT_BYTES + 100)
        expect(text).toContain('"isError":false')
      }
  })

  it('is listed the other files, without their bytes', async () => {
    const bytes = Buffer.from('a picture')
    const entry = {
      bytes,
      role: 'output',
      case_key: place.case_key,
      name: 'screen.png',
      media_type: 'image/png',
    } as const
    expect((await attach(write, 'agent', await sendEvidence(write, [entry]))).statusCode).toBe(201)
    expect((await call(place)).data['case']).toHaveProperty('attachments_omitted')
    const { data } = await call({ ...place, fields: ['attachments'] })
    expect(data).toMatchObject({
      attachments: [{ sha256: digestOf(bytes), bytes: 9, role: 'output', name: 'screen.png' }],
      attachment_count: 1,
    })
  })

  it('is listed as many of many files with long names as there is room for', async () => {
    const entries = Array.from({ length: 90 }, (_, n) => ({
      bytes: Buffer.from(`file ${n}`),
      role: 'other' as const,
      case_key: files.case_key,
      name: `${n} ${'n'.repeat(390)}`,
      media_type: 'text/plain',
    }))
    expect((await attach(write, 'agent', await sendEvidence(write, entries))).statusCode).toBe(201)
    const { data } = await call({ ...files, fields: ['attachments'] })
    expect([(data['attachments'] as unknown[]).length, data['attachment_count']]).toEqual([45, 90])
    expect(data['_truncated']).toEqual([{ path: '/attachments', kept: 45, total: 90 }])
  })

  it('gets the number of an event that is too large, and where to go on', async () => {
    const large = { type: 'tool', name: 'ls', arguments: Array.from({ length: 5_000 }, (_, n) => `file ${n}`) }
    const small = { type: 'log', name: 'end' }
    const sha256 = await addTranscript(write, files, transcriptOf([large, large, small]))
    for (const n of [1, 2]) {
      const { data } = await call({ ...files, sha256, from_event: n })
      expect(data['transcript']).toMatchObject({ events: [{ n, cut: true }], next_event: n + 1 })
      expect(data['_truncated']).toContainEqual({ path: '/transcript/events', kept: 0, total: 4 - n })
    }
  })

  it('gets null where there is no transcript, and an error for one that the case does not have', async () => {
    const bare = aCase({ cell: { test_id: 'bare' } }).case_key
    const { data } = await call({ run_id: 'agent', case_key: bare, fields: ['transcript', 'attachments'] })
    expect(data).toMatchObject({ transcript: null, attachments: [] })
    expect(data['case']).not.toHaveProperty('evidence')
    const other = await call({ ...place, fields: ['transcript'], sha256: digestOf(Buffer.from('other')) })
    expect([other.isError, other.text]).toEqual([true, expect.stringMatching(/^transcript ".+" not found in case/)])
    const { isError, text } = await call({ ...place, from_event: 0 })
    expect([isError, text]).toEqual([true, 'from_event: must be 1 or more'])
  })

  it('is shown nothing of a run that it cannot see', async () => {
    const asked = { case_key: place.case_key, fields: ['transcript', 'attachments'], from_event: 1, sha256: first }
    const hidden = await call({ ...asked, run_id: 'hidden' })
    const absent = await call({ ...asked, run_id: 'absent' })
    expect(hidden.text.replace('hidden', 'absent')).toBe(absent.text)
    expect((await call({ ...asked, run_id: 'hidden' }, 'admin')).data).toHaveProperty('transcript.events')
  })
})
