import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HoldView } from '../../../queries/runs/holds.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { openFreshService } from '../../support/stores/open-fresh.ts'
import type { FreshService } from '../../support/stores/open-fresh.ts'
import { CLI } from '../../../queries/access/viewer.ts'

type Done = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Done> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes))
    child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    )
  })

/** The id in a line about a hold or an erasure. */
const idIn = ({ stdout }: Done): string => /\b[0-9A-Z]{26}\b/.exec(stdout)?.[0] ?? ''

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
    expect(placed).toEqual({ code: 0, stdout: `hold ${id} on project chat (CASE-1) stands\n`, stderr: '' })
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
    expect((await ers(['hold', 'list', '--lifted'], env)).stdout).toMatch(/was lifted at 20/)

    const dry = await ers(['erase', '--run', 'a', '--dry-run', ...CASE], env)
    expect(dry.stdout).toBe('would erase 2 records (facts of 0 kept) and 1 document\n')
    const erased = await ers(['erase', '--run', 'a', ...CASE], env)
    expect(erased).toEqual({
      code: 0,
      stdout: `erased 2 records (facts of 0 kept) and 1 document: erasure ${idIn(erased)}\n`,
      stderr: '',
    })
    expect(await spec.column('SELECT id FROM runs')).toEqual([])
    expect((await ers(['erase', '--run', 'a', ...CASE], env)).stderr).toMatch(/answers 404: run not found/)
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
      await service.commit('ingestRun', CLI, {
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
    expect((await ers(['hold', 'list', ...store])).stdout).toBe(`hold ${id} on run a (CASE-1) stands\n`)
    expect((await ers(['hold', 'lift', id, ...CASE, ...store])).code).toBe(0)
    const erased = await ers(['erase', '--run', 'a', '--json', ...CASE, ...store])
    expect(JSON.parse(erased.stdout)).toMatchObject({ records: 2, kept: 0, documents: 1, dry_run: false })
    expect((await ers(['delete', 'a', ...store])).code).toBe(3)
    expect((await ers(['erase', '--user', 'nobody', ...CASE, ...store])).stderr).toBe('user not found\n')
  })
})
