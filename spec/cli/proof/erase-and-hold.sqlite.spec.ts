import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HoldView } from '../../../queries/runs/holds.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { runErs, type Ran } from '../../support/servers/run-ers.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import { CLI } from '../../../queries/access/viewer.ts'

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runErs(args, { env })

/** The id in a line about a hold or an erasure. */
const idIn = ({ stdout }: Ran): string => /\b[0-9A-Z]{26}\b/.exec(stdout)?.[0] ?? ''

const CASE = ['--reference', 'CASE-1'] as const

describe('on a service', () => {
  let spec: SpecApp
  let env: Record<string, string>
  beforeAll(async () => {
    spec = await openApp()
    await spec.ingest(aDocument({ run_id: 'a' }))
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    env = {
      SERVICE_SERVER_URL: `http://127.0.0.1:${(spec.app.server.address() as AddressInfo).port}`,
      SERVICE_TOKEN: TOKENS.admin,
    }
  })
  afterAll(() => spec.close())

  it('"ers hold" places, lists and lifts, and "ers erase" respects it', async () => {
    const placed = await ers(['hold', 'place', '--project', 'chat', '--note', 'a letter', ...CASE], env)
    const id = idIn(placed)
    expect(placed).toEqual({
      code: 0,
      stdout: `hold ${id} on project chat (CASE-1) stands; it covers 1 run now\n`,
      stderr: '',
    })
    expect(await ers(['erase', '--run', 'a', ...CASE], env)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${env['SERVICE_SERVER_URL']} answers 409: run is under legal hold ${id}\n`,
    })
    const listed = await ers(['hold', 'list', '--standing', '--json'], env)
    expect(JSON.parse(listed.stdout) as HoldView).toMatchObject({
      id,
      project: 'chat',
      note: 'a letter',
      lifted_at: null,
    })
    expect((await ers(['hold', 'lift', id, ...CASE], env)).stdout).toBe(
      `hold ${id} on project chat (CASE-1) is lifted\n`,
    )
    expect((await ers(['hold', 'list', '--standing'], env)).stdout).toBe('')
    expect((await ers(['hold', 'list', '--lifted'], env)).stdout).toMatch(
      /^hold \w{26} on project chat \(CASE-1\) was placed at 20\S+ and lifted at 20\S+: a letter\n$/,
    )

    const dry = await ers(['erase', '--run', 'a', '--dry-run', ...CASE], env)
    expect(dry.stdout).toBe('would erase 2 records and 1 document\n')
    const erased = await ers(['erase', '--run', 'a', ...CASE], env)
    expect(erased).toEqual({
      code: 0,
      stdout: `erased 2 records and 1 document (erasure ${idIn(erased)})\n`,
      stderr: '',
    })
    expect(await spec.column('SELECT id FROM runs')).toEqual([])
    expect((await ers(['erase', '--run', 'a', ...CASE], env)).stderr).toMatch(/answers 404: run not found/)
  })

  it('"ers hold place" says how many runs a set has, also if it has none', async () => {
    await spec.ingest(aDocument({ run_id: 'b', project: 'chat', suite: 'one/two' }))
    for (const [options, covered] of [
      [['--project', 'chat', '--suite', 'one/two'], '1 run'],
      [['--project', 'chat', '--suite', 'typo'], '0 runs'],
      [['--project', 'typo'], '0 runs'],
    ] as const) {
      const placed = await ers(['hold', 'place', ...options, ...CASE], env)
      expect(placed).toMatchObject({ code: 0, stderr: '' })
      expect(placed.stdout).toMatch(new RegExp(`stands; it covers ${covered} now\n$`))
      await ers(['hold', 'lift', idIn(placed), ...CASE], env)
    }
  })

  it('"ers erase" says how many records leave facts, and if nothing is left to erase', async () => {
    await spec.ingest(aDocument({ run_id: 'c' }))
    const [seq] = await spec.column("SELECT seq FROM event_bodies WHERE stream = 'run/c'")
    const erase = (...options: readonly string[]) => ers(['erase', '--record', String(seq), ...CASE, ...options], env)
    const left = '1 of the records leaves facts that lists need'
    expect((await erase('--dry-run')).stdout).toBe(`would erase 1 record and 0 documents; ${left}\n`)
    const erased = await erase()
    expect(erased.stdout).toBe(`erased 1 record and 0 documents (erasure ${idIn(erased)}); ${left}\n`)
    for (const options of [[], ['--dry-run']])
      expect((await erase(...options)).stdout).toBe('nothing to erase: everything was erased earlier\n')
  })

  it('both escape what a service answers', async () => {
    const bell = '\u001b]0;title\u0007'
    const hold = {
      ...{ id: bell, project: bell, suite: null, run_id: null, reference: bell, note: bell, placed_at: bell },
      ...{ placed_by: null, lifted_at: null, lifted_by: null },
    }
    const answers: Readonly<Record<string, object>> = {
      '/api/v1/holds': { ...hold, holds: [hold], next_cursor: null },
      '/api/v1/holds/h/lift': { ...hold, lifted_at: bell },
      '/api/v1/erasures': { erasure_id: bell, records: 1, kept: 0, documents: 0, dry_run: false },
    }
    const malicious = createServer((request, response) => {
      const body = answers[new URL(request.url ?? '', 'http://x').pathname]
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? { error: bell }))
    }).listen(0, '127.0.0.1')
    await once(malicious, 'listening')
    const url = `http://127.0.0.1:${(malicious.address() as AddressInfo).port}`
    const commands = [
      ['hold', 'place', '--project', 'chat'],
      ['hold', 'lift', 'h'],
      ['hold', 'lift', 'other'],
      ['hold', 'list'],
      ['erase', '--run', 'a'],
    ]
    for (const command of commands)
      for (const json of [[], ['--json']]) {
        const reference = command[1] === 'list' ? [] : CASE
        const { stdout, stderr } = await ers([...command, ...reference, ...json, '--server', url], env)
        expect(stdout + stderr, command.join(' ')).toContain('\\u001b')
        expect(stdout + stderr, command.join(' ')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
      }
    malicious.close()
  })

  it('both refuse wrong options, and a token that may not', async () => {
    const refused = [
      [['erase', ...CASE], 'give exactly one of --run, --user and --record'],
      [['erase', '--run', 'a', '--user', 'b', ...CASE], 'give exactly one of --run, --user and --record'],
      [['erase', '--run', 'a'], "required option '--reference <text>' not specified"],
      [['erase', '--run', 'a', '--reference', 'two words'], 'It must be 1 to 64 of the characters'],
      [['erase', '--record', '0', ...CASE], 'It must be the number of a record'],
      [['hold', 'place', '--suite', 's', ...CASE], 'give --run, or --project with or without --suite'],
      [['hold', 'place', '--run', 'a', '--project', 'p', ...CASE], 'give --run, or --project'],
    ] as const
    for (const [args, message] of refused) {
      const { code, stderr } = await ers([...args], env)
      expect({ code, stderr }, args.join(' ')).toEqual({ code: 2, stderr: expect.stringContaining(message) as string })
    }
    expect((await ers(['hold', 'list'], { ...env, SERVICE_TOKEN: TOKENS.write })).stderr).toMatch(/403/)
  })
})

describe('on a store', () => {
  let fresh: FreshService
  let store: readonly string[]
  beforeAll(async () => {
    fresh = await openFreshService()
    const { service, databaseUrl, dataDir } = fresh
    for (const run_id of ['a', 'b'])
      await service.commit.ingestRun(CLI, {
        body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
        encoding: null,
      })
    // Only one process may use a state directory.
    if (databaseUrl === null) await service.close()
    store = databaseUrl === null ? ['--data-dir', dataDir] : ['--database-url', databaseUrl]
  })
  afterAll(() => fresh.close())

  it('"ers hold" and "ers erase" do the same', async () => {
    const placed = await ers(['hold', 'place', '--run', 'a', ...CASE, ...store])
    expect(placed).toMatchObject({ code: 0, stderr: '' })
    const id = idIn(placed)
    expect(await ers(['erase', '--record', '1', '2', ...CASE, ...store])).toMatchObject({
      code: 2,
      stderr: `run is under legal hold ${id}\n`,
    })
    expect((await ers(['hold', 'list', ...store])).stdout).toMatch(
      new RegExp(String.raw`^hold ${id} on run a \(CASE-1\) stands since 20\S+\n$`),
    )
    expect((await ers(['hold', 'lift', id, ...CASE, ...store])).code).toBe(0)
    const erased = await ers(['erase', '--run', 'a', '--json', ...CASE, ...store])
    expect(JSON.parse(erased.stdout)).toMatchObject({ records: 2, kept: 0, documents: 1, dry_run: false })
    expect((await ers(['delete', 'a', ...store])).code).toBe(3)
    const long = 'x'.repeat(1000)
    for (const [options, message] of [
      [['--project', long], 'project: must be a name that a run can have'],
      [['--project', 'chat', '--suite', '..'], 'suite: must not be . or ..'],
      [['--project', 'chat', '--note', 'x'.repeat(2001)], 'note: must have at most 2000 characters'],
    ] as const)
      expect(await ers(['hold', 'place', ...options, ...CASE, ...store])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(message) as string,
      })
    expect((await ers(['hold', 'place', '--project', 'chat', ...CASE, ...store])).stdout).toMatch(/covers 1 run now\n$/)
    expect((await ers(['erase', '--user', 'nobody', ...CASE, ...store])).stderr).toBe('user not found\n')
  })
})
