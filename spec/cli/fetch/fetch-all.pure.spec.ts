import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { apiAt } from '../../../cli/fetch/api.ts'
import { BodyRefused } from '../../../engine/http/read-body.ts'
import { fetchAll, type FetchCounts } from '../../../cli/fetch/fetch-all.ts'
import { TOOLS } from '../../../cli/fetch/tools.ts'
import { CANARY, SERVICES } from '../../support/fetch/services.ts'
import { NOT_FOUND, startStandIn } from '../../support/fetch/stand-in.ts'
import type { StandIn, StandInAnswer, StandInRequest } from '../../support/fetch/stand-in.ts'
import { countsOf, importFolder, lossesOf } from '../../support/interchange/import-files.ts'
import { evidenceOf, keepingIn, transcriptsOf } from '../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const SPANS_PATH = '/v1/projects/Experiment-4f0c/spans'

let out: string
beforeEach(() => void (out = mkdtempSync(join(tmpdir(), 'ers-fetch-'))))
afterEach(() => rmSync(out, { recursive: true }))

type Fetched = { readonly counts: FetchCounts | null; readonly failures: readonly string[] }

/** Fetches from a service, without waits between attempts. */
const fetchFrom = async (
  name: string,
  url: string,
  sinceMs: number | null = null,
  send: typeof fetch = fetch,
): Promise<Fetched> => {
  const { tool: toolName, base = '', env } = SERVICES[name]!
  const tool = TOOLS.get(toolName)!
  const failures: string[] = []
  const { signal } = new AbortController()
  const api = apiAt(`${url}${base}`, tool.credentials(env), { signal, send, wait: async () => {} })
  const onFailed = (what: string, reason: string) => void failures.push(`${what}: ${reason}`)
  const counts = await fetchAll(tool, api, { name: toolName, out, sinceMs, signal, onFailed, onProgress: () => {} })
  return { counts, failures }
}

/** A stand-in that checks the key of each request. `before` may answer in place of it. */
const serviceOf = (
  name: string,
  before: (request: StandInRequest, count: number) => StandInAnswer | null = () => null,
): Promise<StandIn> => {
  const { answer, header } = SERVICES[name]!
  const usual = answer()
  return startStandIn((request, count) =>
    request.headers[header[0]] === header[1]
      ? (before(request, count) ?? usual(request))
      : { status: 401, json: { message: 'bad key' } },
  )
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()

/** The folders of experiments: lists are in a hidden one. */
const experimentFolders = (): readonly string[] =>
  readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(out, name))

/** The second attempt has another stand-in, as if it were at the address of the first. */
const moveTo = (from: string, to: string) => {
  const state = join(out, 'fetch-state')
  writeFileSync(state, readFileSync(state, 'utf8').replace(from, to))
}

const contentOf = (folder: string) => filesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])

describe.each(Object.keys(SERVICES))('fetching from %s', (name) => {
  it('gives the runs of the sample, and writes the key nowhere', async () => {
    await using service = await serviceOf(name)
    const { counts, failures } = await fetchFrom(name, service.url)
    expect(failures).toEqual([])
    expect(counts).toMatchObject({ experiments: 1, failed: 0 })
    const [folder = ''] = experimentFolders()
    const results = await importFolder(
      folder,
      {},
      readdirSync(folder).filter((file) => file.endsWith('.json')),
    )
    expect(countsOf(results)).toEqual([SERVICES[name]!.counts])
    expect(results[0]?.document?.run.suite).toBe(SERVICES[name]!.suite)
    for (const [file, content] of contentOf(out)) expect(content, file).not.toContain(CANARY)
    for (const { path, query } of service.requests) expect(`${path}?${query.toString()}`).not.toContain(CANARY)
  })

  it('is complete then, and asks for nothing again', async () => {
    await using service = await serviceOf(name)
    await fetchFrom(name, service.url)
    const count = service.requests.length
    expect((await fetchFrom(name, service.url)).counts).toBeNull()
    expect(service.requests.length).toBe(count)
  })

  it('continues after an interruption at any request, and writes the same', async () => {
    await using whole = await serviceOf(name)
    await fetchFrom(name, whole.url)
    const expected = contentOf(out).filter(([file]) => file !== 'fetch-state')
    for (let last = 1; last < whole.requests.length; last++) {
      rmSync(out, { recursive: true })
      await using service = await serviceOf(name, (_, count) => (count >= last ? 'cut' : null))
      await expect(fetchFrom(name, service.url), `request ${last}`).rejects.toThrow('cannot be reached')
      await using again = await serviceOf(name)
      moveTo(service.url, again.url)
      expect((await fetchFrom(name, again.url)).failures).toEqual([])
      expect(contentOf(out).filter(([file]) => file !== 'fetch-state')).toEqual(expected)
    }
  })

  it('passes over experiments before the time', async () => {
    // Langfuse 4 selects them itself.
    await using service = await serviceOf(name, ({ path, query }) =>
      path === '/api/public/experiments' && query.get('fromStartTime') === '2030-01-01T00:00:00.000Z'
        ? { json: { data: [], meta: {} } }
        : null,
    )
    expect((await fetchFrom(name, service.url, Date.parse('2030-01-01'))).counts).toMatchObject({ experiments: 0 })
    expect(experimentFolders()).toEqual([])
  })
})

// The losses of the other formats have paths of their own: the specs of their importers account for them.
describe.each(['langfuse', 'langfuse 3', 'langsmith', 'phoenix'])('an import of what was fetched from %s', (name) => {
  it('loses nothing silently', async () => {
    await using service = await serviceOf(name)
    await fetchFrom(name, service.url)
    const [folder = ''] = experimentFolders()
    const names = readdirSync(folder).filter((file) => file.endsWith('.json'))
    const results = await importFolder(folder, {}, names)
    // Steps of runs are in their transcripts: without evidence, as here, each is a loss as a whole.
    const steps = names.filter((file) => /^(?:steps|spans)-/.test(file))
    const leaves = names
      .filter((file) => !steps.includes(file))
      .flatMap((file) => leavesOf(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
      // How the list was read is nothing of the run.
      .filter(({ path }) => path !== 'meta.cursor' && path !== 'cursors.next')
    const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
    expect(missingLeaves(leaves, documents, lossesOf(results))).toEqual([])
    const leftOut = lossesOf(results).filter(({ path }) => path === '(child runs)' || path === '(spans)')
    expect(leftOut.map(({ count }) => count)).toEqual({ langsmith: [10], phoenix: [12] }[name] ?? [])
  })
})

it.each([
  { name: 'langsmith', list: 'steps-', count: 5, types: ['span', 'message', 'model', 'tool', 'span_end'] },
  { name: 'phoenix', list: 'spans-', count: 6, types: ['span', 'message', 'model', 'span_end'] },
])('an import of what was fetched from $name has the steps of each run as its transcript', async (row) => {
  const { name, list, count, types } = row
  await using service = await serviceOf(name)
  await fetchFrom(name, service.url)
  const [folder = ''] = experimentFolders()
  const names = readdirSync(folder).filter((file) => file.endsWith('.json'))
  expect(names.filter((file) => file.startsWith(list)).length).toBeGreaterThan(1)
  const results = await importFolder(folder, keepingIn(out), names)
  expect(results).toHaveLength(1)
  const transcripts = transcriptsOf(evidenceOf(results[0]))
  expect(transcripts).toHaveLength(count)
  for (const transcript of transcripts)
    expect(transcript.map(({ type }) => type)).toEqual(expect.arrayContaining([...types]))
  expect(lossesOf(results).filter(({ path }) => path === '(child runs)' || path === '(spans)')).toEqual([])
})

describe('a fetch', () => {
  it('fetches a last page again that is not whole', async () => {
    await using first = await serviceOf('langsmith', ({ path }) =>
      path === '/feedback' ? { status: 404, json: {} } : null,
    )
    expect((await fetchFrom('langsmith', first.url)).counts).toMatchObject({ failed: 1 })
    const [folder = ''] = experimentFolders()
    const page = join(folder, 'runs-000003.json')
    const whole = readFileSync(page, 'utf8')
    truncateSync(page, 100)
    await using again = await serviceOf('langsmith')
    moveTo(first.url, again.url)
    await fetchFrom('langsmith', again.url)
    expect(again.requests.filter(({ path }) => path === '/runs/query').length).toBe(1)
    expect(readFileSync(page, 'utf8')).toBe(whole)
  })

  it('reports an experiment that fails, and fetches the others', async () => {
    await using service = await serviceOf('phoenix', ({ path }) =>
      path.endsWith('RXhwZXJpbWVudDoy/json') ? { status: 422, json: { detail: 'broken' } } : null,
    )
    const { counts, failures } = await fetchFrom('phoenix', service.url)
    expect(counts).toMatchObject({ experiments: 1, failed: 1 })
    expect(failures).toEqual(['RXhwZXJpbWVudDoy: 422 broken at /v1/experiments/RXhwZXJpbWVudDoy/json'])
    expect(JSON.parse(readFileSync(join(out, 'fetch-state'), 'utf8'))).toMatchObject({ is_complete: false })
  })

  it('of Phoenix goes without spans that are not there, or are in a project of others', async () => {
    const projectOf = async (project_name: string | null) => {
      rmSync(out, { recursive: true })
      await using service = await serviceOf('phoenix', ({ path }) =>
        path === '/v1/experiments/RXhwZXJpbWVudDox'
          ? { json: { data: { id: 'RXhwZXJpbWVudDox', project_name } } }
          : null,
      )
      const { failures } = await fetchFrom('phoenix', service.url)
      return [failures, service.requests.map(({ path }) => path).filter((path) => path.startsWith('/v1/projects'))]
    }
    expect(await projectOf('Experiment-0')).toEqual([[], ['/v1/projects/Experiment-0/spans']])
    expect(await projectOf('default')).toEqual([[], []])
    expect(await projectOf(null)).toEqual([[], []])
  })

  it.each([
    ['an old server shows its page', 1, { text: '<!doctype html>' }, { failed: 0 }, []],
    [
      'the server refuses',
      1,
      { status: 422, json: { detail: 'broken' } },
      { failed: 1 },
      [`422 broken at ${SPANS_PATH}`],
    ],
    ['a later page is gone', 2, NOT_FOUND, { failed: 1 }, [`404 not found at ${SPANS_PATH}`]],
  ] as const)('of Phoenix has all but the spans where %s', async (_, page, answer, counts, failures) => {
    let pages = 0
    await using service = await serviceOf('phoenix', ({ path }) =>
      path === SPANS_PATH && (pages += 1) >= page ? answer : null,
    )
    const fetched = await fetchFrom('phoenix', service.url)
    expect(fetched.counts).toMatchObject({ experiments: 1, ...counts })
    expect(fetched.failures).toEqual(failures.map((reason) => `RXhwZXJpbWVudDox (spans): ${reason}`))
    const [folder = ''] = experimentFolders()
    expect(filesIn(folder)).toEqual(expect.arrayContaining(['dataset.json', 'experiment.json', 'runs.json']))
    const isComplete = counts.failed === 0
    expect(JSON.parse(readFileSync(join(out, 'fetch-state'), 'utf8'))).toMatchObject({ is_complete: isComplete })
    if (isComplete) return
    await using again = await serviceOf('phoenix')
    moveTo(service.url, again.url)
    expect(await fetchFrom('phoenix', again.url)).toMatchObject({ counts: { failed: 0 }, failures: [] })
    const asked = again.requests.filter(({ path }) => path === SPANS_PATH)
    expect(asked[0]?.query.has('cursor')).toBe(page > 1)
    expect(again.requests.map(({ path }) => path)).not.toContain('/v1/experiments/RXhwZXJpbWVudDox/json')
  })

  it('of Phoenix asks for fewer spans where an answer is too large', async () => {
    await using service = await serviceOf('phoenix')
    const tooLarge = new BodyRefused('sends an answer larger than 64 bytes')
    /** A body that is refused like a large one. */
    const send = async (...args: Parameters<typeof fetch>) => {
      const url = new URL(args[0] as string)
      const response = await fetch(...args)
      if (url.pathname !== SPANS_PATH || !url.searchParams.has('cursor') || url.searchParams.get('limit') === '1')
        return response
      await response.bytes()
      return new Response(new ReadableStream({ pull: (stream) => stream.error(tooLarge) }))
    }
    const { counts, failures } = await fetchFrom('phoenix', service.url, null, send)
    expect([counts?.failed, failures]).toEqual([0, []])
    const asked = service.requests.filter(({ path }) => path === SPANS_PATH).map(({ query }) => query.get('limit'))
    expect(asked.slice(0, 4)).toEqual(['50', '50', '10', '1'])
  })

  it('names the key variables when the key is refused', async () => {
    await using service = await startStandIn(() => ({ status: 403, json: { error: `no rights for ${CANARY}` } }))
    await expect(fetchFrom('langsmith', service.url)).rejects.toThrow(
      /refuses the key: 403 no rights for \*\*\* at \/sessions \(check LANGSMITH_API_KEY/,
    )
  })

  it('writes nothing outside of the folder, whatever the ids are', async () => {
    const ids = ['../../escaped', '..', '/etc/passwd', 'CON', 'a\u0000b', 'Ab', 'ab', `${'x'.repeat(300)}`, '\ud800']
    await using service = await startStandIn(({ path, query }) => {
      const all = ids.map((id) => ({ id, project_id: null }))
      if (path === '/v1/experiment') return { json: { objects: query.has('starting_after') ? [] : all } }
      if (path.endsWith('/fetch'))
        return { json: { events: [{ id: 'e', _xact_id: '1', span_id: 's', root_span_id: 's' }] } }
      return { json: {} }
    })
    const { counts, failures } = await fetchFrom('braintrust', service.url)
    expect(existsSync(join(out, '..', 'escaped'))).toBe(false)
    expect(counts?.experiments).toBe(ids.length - 2)
    expect(failures).toHaveLength(2)
    for (const folder of experimentFolders()) expect(folder).toMatch(/\/(?:ab|x[a-z0-9_-]*~[0-9a-f]{16})$/)
  })

  it('sends at most four requests at once', async () => {
    const sessions = Array.from({ length: 20 }, (_, n) => ({ id: `s${n}`, reference_dataset_id: null }))
    const waiting: Array<() => void> = []
    await using service = await startStandIn(async ({ path }) => {
      if (path === '/sessions') return { json: sessions }
      // Requests are answered by fours.
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 4) for (const answer of waiting.splice(0)) answer()
      })
      return { json: { runs: [], cursors: null } }
    })
    expect((await fetchFrom('langsmith', service.url)).counts).toMatchObject({ empty: 20 })
    expect(service.mostAtOnce()).toBe(4)
  })

  it('takes no folder of something else', async () => {
    await using service = await serviceOf('langsmith')
    await fetchFrom('langsmith', service.url)
    await expect(fetchFrom('langsmith', service.url, 0)).rejects.toThrow('name another folder')
    rmSync(join(out, 'fetch-state'))
    await expect(fetchFrom('langsmith', service.url)).rejects.toThrow('is not empty, and not of an earlier fetch')
  })

  it('reads the dataset runs of a Langfuse without experiments only after a 404', async () => {
    await using service = await startStandIn(() => NOT_FOUND)
    await expect(fetchFrom('langfuse', service.url)).rejects.toThrow('404 not found at /api/public/v2/datasets')
  })
})
