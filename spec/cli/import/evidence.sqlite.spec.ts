import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callApi } from '../../support/browser.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const server = await startServer()

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-import-evidence-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const BROWSER = join(SAMPLES, 'inspect', '2025-05-12T20-27-36-04-00_browser.json')
const STREAMING = join(SAMPLES, 'inspect', 'log_streaming.eval')
const CAPITALS = join(SAMPLES, 'promptfoo', 'v3-capitals.json')

const ers = (...args: string[]) =>
  runErs(['import', ...args], {
    cwd: folder,
    env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, TMPDIR: folder },
  })
const get = async (path: string): Promise<unknown> => (await callApi(server.url, server.token, 'GET', path)).json()

type Entry = { sha256: string; role: string; case_key?: string; name: string; media_type?: string }
type Run = { id: string; evidence?: { parts: number } }
/** The parts of the only run of a suite. */
const partsOf = async (suite: string): Promise<{ readonly id: string; readonly parts: Entry[] }> => {
  const { runs } = (await get(`/runs?suite=${suite}`)) as { runs: Run[] }
  const [{ id }] = runs as [Run]
  const { evidence } = (await get(`/runs/${id}/evidence`)) as { evidence: Array<{ n: number }> }
  const [kept] = evidence
  if (kept === undefined) return { id, parts: [] }
  return { id, parts: ((await get(`/runs/${id}/evidence/${kept.n}`)) as { parts: Entry[] }).parts }
}
const bytesOf = async (id: string, sha256: string): Promise<Buffer> =>
  Buffer.from(await (await callApi(server.url, server.token, 'GET', `/runs/${id}/parts/${sha256}`)).arrayBuffer())

describe('an import', () => {
  it('keeps the source file byte for byte, and the events of an agent as a transcript', async () => {
    expect((await ers(BROWSER, '--suite', 'whole')).code).toBe(0)
    const { id, parts } = await partsOf('whole')
    const original = parts.filter(({ role }) => role === 'original')
    expect(original.map(({ name }) => name)).toEqual([basename(BROWSER)])
    expect(await bytesOf(id, original[0]!.sha256)).toEqual(readFileSync(BROWSER))
    const transcript = parts.find(({ role }) => role === 'transcript')!
    const lines = (await bytesOf(id, transcript.sha256)).toString().split('\n')
    expect(JSON.parse(lines[0]!)).toMatchObject({ transcript: 1, source: { format: 'inspect' } })
    const { events } = (JSON.parse(readFileSync(BROWSER, 'utf8')) as { samples: Array<{ events: unknown[] }> })
      .samples[0]!
    const types = lines.slice(1, -1).map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types.filter((type) => type !== 'message')).toHaveLength(events.length)
    expect(await get(`/runs/${id}/cases/${transcript.case_key}`)).toMatchObject({
      evidence: { parts: expect.any(Number) as number },
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('shows a trajectory as a transcript, and has the pictures that it names by path from --files', async () => {
    const picture = Buffer.from('89504e470d0a1a0a', 'hex')
    mkdirSync(join(folder, 'files'))
    writeFileSync(join(folder, 'files', 'map.png'), picture)
    const source = { media_type: 'image/png', path: 'map.png' }
    const trajectory = {
      schema_version: 'ATIF-v1.6',
      session_id: 's',
      agent: { name: 'atlas-agent', version: '1' },
      steps: [
        { step_id: 1, source: 'user', message: [{ type: 'image', source }] },
        { step_id: 2, source: 'agent', message: 'A map.', metrics: { prompt_tokens: 7, completion_tokens: 2 } },
      ],
    }
    writeFileSync(join(folder, 't.json'), JSON.stringify(trajectory))
    const result = await ers('t.json', '--suite', 'trajectory', '--files', join(folder, 'files'))
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('(atif 1)') as string })
    const { id, parts } = await partsOf('trajectory')
    expect(parts.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'input map.png',
      'transcript trajectory',
      'original t.json',
    ])
    expect(await bytesOf(id, parts[0]!.sha256)).toEqual(picture)
    expect(await get(`/runs/${id}/transcripts/${parts[1]!.sha256}`)).toMatchObject({
      events: 3,
      input_tokens: 7,
      output_tokens: 2,
    })
  })

  it('reads traces and log records of a folder, which are protobuf, as one run with a transcript', async () => {
    const result = await ers(join(SAMPLES, 'otlp', 'with-logs'), '--suite', 'traces')
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('imported 1,') as string })
    const { id, parts } = await partsOf('traces')
    expect(parts.map(({ role, name }) => `${role} ${name.split(' ')[0]}`)).toEqual([
      'transcript trace',
      'original traces.pb',
      'original logs.pb',
    ])
    expect(await get(`/runs/${id}/transcripts/${parts[0]!.sha256}`)).toMatchObject({
      source: { format: 'otlp' },
      input_tokens: 50,
      output_tokens: 10,
      missing_parents: 0,
    })
  })

  it('keeps the source file of every other tool', async () => {
    expect((await ers(CAPITALS, '--suite', 'other-tool')).stdout).not.toContain('left out')
    const { id, parts } = await partsOf('other-tool')
    expect(parts.map(({ role }) => role)).toEqual(['original'])
    expect(await bytesOf(id, parts[0]!.sha256)).toEqual(readFileSync(CAPITALS))
  })

  it('adds the evidence of a run that was imported without, once', async () => {
    const run = (...args: string[]) => ers(STREAMING, '--suite', 'later', ...args)
    expect((await run('--evidence', 'none')).stdout).toMatch(/^imported 1, already there 0, refused 0/)
    expect((await partsOf('later')).parts).toEqual([])
    expect((await run('--evidence', 'none')).stdout).toMatch(/^imported 0, already there 1, refused 0/)
    expect((await run()).stdout).toMatch(/^imported 0, already there 0, evidence added 1, refused 0/)
    expect((await partsOf('later')).parts.filter(({ role }) => role === 'transcript')).toHaveLength(4)
    expect((await run()).stdout).toMatch(/^imported 0, already there 1, refused 0/)
    expect((await run('--verify')).stdout).toMatch(/^imported 0, already there 1, refused 0/)
    expect((await partsOf('later')).parts.map(({ name }) => name)).toContain(basename(STREAMING))
  })

  it('keeps transcripts alone, or no original, if asked', async () => {
    const log = join(SAMPLES, 'inspect', '2025-05-12T20-28-26-04-00_security-guide.json')
    await ers(log, '--suite', 'transcripts', '--evidence', 'transcripts')
    const { parts } = await partsOf('transcripts')
    expect(new Set(parts.map(({ role }) => role))).toEqual(new Set(['transcript']))
    await ers(join(SAMPLES, 'inspect', 'log_images_tc.json'), '--suite', 'no-original', '--no-original')
    const other = await partsOf('no-original')
    expect(other.parts.map(({ role, media_type }) => [role, media_type])).toEqual([
      ['input', 'image/png'],
      ['transcript', 'application/x-ndjson'],
    ])
    expect((await bytesOf(other.id, other.parts[0]!.sha256)).subarray(1, 4).toString()).toBe('PNG')
  })

  it('sends none in a dry run', async () => {
    expect((await ers(STREAMING, '--suite', 'dry', '--dry-run')).stdout).toContain('left out: samples.*.events')
    expect((await get('/runs?suite=dry')) as object).toMatchObject({ runs: [] })
  })

  it('sends all parts of a run that it replaces, also those that the old run has', async () => {
    const log = join(SAMPLES, 'inspect', 'log_formats.json')
    expect((await ers(log, '--suite', 'replaced')).stdout).toMatch(/^imported 1,/)
    const again = await ers(log, '--suite', 'replaced', '--provider', 'another', '--verify', '--replace')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^imported 1,/) as string })
    const { id, parts } = await partsOf('replaced')
    expect(await bytesOf(id, parts.find(({ role }) => role === 'original')!.sha256)).toEqual(readFileSync(log))
  })

  it('leaves no file behind for a run that is stored with other content', async () => {
    const log = join(SAMPLES, 'inspect', 'data_pubmedqa_gpt4o_mini.json')
    await ers(log, '--suite', 'other-content')
    const changed = await ers(log, '--suite', 'other-content', '--provider', 'another', '--verify')
    expect(changed.stdout).toMatch(/^imported 0, already there 0, changed 1/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps no file that has other runs too', async () => {
    const lines = join(folder, 'runs.csv')
    writeFileSync(lines, 'run,question,score\none,q,1\ntwo,q,0\n')
    const map = join(folder, 'map.json')
    const row = { case: { test: { columns: ['question'] } }, asserts: { columns: ['score'] } }
    writeFileSync(map, JSON.stringify({ format: 'csv', run: { id: { column: 'run' }, by: ['run'] }, ...row }))
    const { stdout, stderr } = await ers(lines, '--map', map, '--suite', 'two-runs', '--created-at', '2026-01-01')
    expect(stdout, stderr).toMatch(/^imported 2,/)
    expect((await partsOf('two-runs')).parts).toEqual([])
  })
})
