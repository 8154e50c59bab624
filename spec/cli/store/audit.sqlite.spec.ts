import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventLine } from '../../../cli/store/audit.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { AuditEvent } from '../../../queries/audit.ts'
import { CLI, SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { onFile, steppingClock } from '../../support/stores/store.ts'

const writer: Viewer = {
  ...SYSTEM,
  actor: { address: '192.0.2.7', credential_id: 'static:write:1', kind: 'static', scope: 'write', user_id: null },
}
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const audit = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'audit', ...args], {
    encoding: 'utf8',
    env: bareEnvironment(),
  })
  return { status, stdout, stderr }
}
const fields = (stdout: string): string[][] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'))
// A server uses the directory all the time. Events: 1 start, 2 upload by a token, 3 upload by the command line, 4
// restriction.
const folder = mkdtempSync(join(tmpdir(), 'ers-audit-'))
const dataDir = join(folder, 'data')
const service = await openService({ dataDir, now: steppingClock() })
await service.commit.recordStart(SYSTEM, {
  instance: 'i',
  config_sha256: 'c',
  schema: 1,
  version: '1',
  principals: [{ id: 'static:write:1', kind: 'static', label: 'write' }],
  tokens: [],
})
const body = (run_id: string): Uint8Array => new TextEncoder().encode(JSON.stringify(aDocument({ run_id })))
await service.commit.ingestRun(writer, { body: body('r1'), encoding: null })
await service.commit.ingestRun(CLI, { body: body('r 2'), encoding: null })
await service.commit.restrictSet(SYSTEM, { project: 'chat', suite: null })

describe('ers audit', () => {
  it('prints a line for each event, newest first, while a server writes', () => {
    const { status, stdout, stderr } = audit('--data-dir', dataDir)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(fields(stdout).map(([time, ...rest]) => [time, ...rest.slice(0, 4)])).toEqual([
      [expect.stringMatching(/^2026-05-04T09:00:44\.\d{3}\+00:00$/), '4', 'SetRestricted', 'access/chat', 'system'],
      [expect.any(String), '3', 'RunIngested', 'run/r%202', 'cli'],
      [expect.any(String), '2', 'RunIngested', 'run/r1', 'write'],
      [expect.stringMatching(/^2026-05-04T09:00:44(\.\d{3})?\+00:00$/), '1', 'Started', 'service/i', 'system'],
    ])
    expect(JSON.parse(fields(stdout)[0]?.[5] ?? '')).toEqual({ project: 'chat', suite: null })
  })

  it('filters like the API, and ends at a limit', () => {
    const numbers = (...args: readonly string[]) =>
      fields(audit('--data-dir', dataDir, ...args).stdout).map(([, seq]) => Number(seq))
    expect(numbers('--type', 'RunIngested')).toEqual([3, 2])
    expect(numbers('--stream', 'run/')).toEqual([3, 2])
    expect(numbers('--actor', 'write')).toEqual([2])
    expect(numbers('--since', '2026-05-04T09:00:44Z', '--until', '2026-05-04T11:00:45+02:00', '--limit', '2')).toEqual([
      4, 3,
    ])
    expect(numbers('--until', '0')).toEqual([])
  })

  it('prints JSON objects', () => {
    const [first, ...more] = audit('--data-dir', dataDir, '--json', '--actor', 'static:write:1').stdout.split('\n')
    expect(more).toEqual([''])
    expect(JSON.parse(first ?? '')).toMatchObject({
      seq: 2,
      type: 'RunIngested',
      stream: 'run/r1',
      version: 1,
      actor: { address: '192.0.2.7', label: 'write' },
      data: { project: 'chat' },
    })
  })

  it('prints more than one page, and ends quietly if its pipe is closed', async () => {
    await service.commit.recordRebuild(SYSTEM, {
      instance: 'i',
      rebuilt: Array.from({ length: 3000 }, (_, position) => ({ name: 'runs', version: 1, position })),
    })
    expect(fields(audit('--data-dir', dataDir).stdout).map(([, seq]) => Number(seq))).toEqual(
      Array.from({ length: 3004 }, (_, i) => 3004 - i),
    )
    expect(fields(audit('--data-dir', dataDir, '--limit', '450').stdout)).toHaveLength(450)
    const child = spawn(process.execPath, [PROGRAM, 'audit', '--data-dir', dataDir], {
      env: bareEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
    expect(errors).toBe('')
  })

  it.each([
    [['--type', 'Nothing'], /Allowed choices are RunIngested/],
    [['--since', 'yesterday'], /epoch milliseconds or an RFC 3339 instant/],
    [['--limit', '0'], /a whole number from 1/],
    [['--nothing'], /unknown option/],
  ])('ends with 2 on %j', (args, message) => {
    const { status, stdout, stderr } = audit('--data-dir', dataDir, ...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })

  it('ends with 2 without a store, and creates none', () => {
    const nowhere = join(folder, 'nowhere')
    expect(audit('--data-dir', nowhere)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`there is no service.db in ${nowhere}. Name the state directory`) as string,
    })
  })

  it('ends with 2 on a store of an older version or another database, and with 1 on a damaged file', () => {
    const older = join(folder, 'older')
    mkdirSync(older)
    onFile(join(dataDir, 'service.db'), (database) => database.exec(`VACUUM INTO '${join(older, 'service.db')}'`))
    onFile(join(older, 'service.db'), (database) =>
      database.exec('DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)'),
    )
    expect(audit('--data-dir', older)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('written by an older version') as string,
    })

    const empty = join(folder, 'empty')
    mkdirSync(empty)
    onFile(join(empty, 'service.db'), (database) => database.exec('CREATE TABLE other (a)'))
    expect(audit('--data-dir', empty)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('is not a store of this service') as string,
    })

    const damaged = join(folder, 'damaged')
    mkdirSync(damaged)
    writeFileSync(join(damaged, 'service.db'), 'no database '.repeat(1000))
    expect(audit('--data-dir', damaged)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('is damaged') as string,
    })
  })

  it('reads a copy without a server, and does not change it', () => {
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    onFile(join(dataDir, 'service.db'), (database) => database.exec(`VACUUM INTO '${join(copy, 'service.db')}'`))
    copyFileSync(join(copy, 'service.db'), join(copy, 'before'))
    expect(fields(audit('--data-dir', copy, '--limit', '1').stdout)).toHaveLength(1)
    expect(onFile(join(copy, 'service.db'), (database) => database.serialize())).toEqual(
      onFile(join(copy, 'before'), (database) => database.serialize()),
    )
  })
})

describe('lineOf', () => {
  const actor = {
    kind: 'session',
    scope: 'admin',
    user_id: 'U1',
    credential_id: 'S1',
    address: null,
    label: 'alice',
  } as const
  const event: AuditEvent = {
    seq: 7,
    recorded_at: '2026-05-04T09:00:44+00:00',
    type: 'UserDeleted',
    stream: 'accounts',
    version: 1,
    actor,
    request_id: null,
    data: { user_id: 'U2' },
  }

  it('names the actor by label, else by id, else by kind', () => {
    expect(eventLine(event)).toBe('2026-05-04T09:00:44+00:00\t7\tUserDeleted\taccounts\talice\t{"user_id":"U2"}')
    expect(eventLine({ ...event, actor: { ...actor, label: null } })).toContain('\tU1\t')
    expect(eventLine({ ...event, actor: { ...actor, label: null, user_id: null } })).toContain('\tS1\t')
    expect(
      eventLine({ ...event, actor: { ...actor, label: null, user_id: null, credential_id: null, kind: 'anonymous' } }),
    ).toContain('\tanonymous\t')
  })

  it('marks erased data', () =>
    expect(eventLine({ ...event, stream: null, version: null, actor: null, data: null })).toBe(
      '2026-05-04T09:00:44+00:00\t7\tUserDeleted\t-\t-\t(erased)',
    ))

  it('is one line without control characters, for any label', () => {
    const line = eventLine({
      ...event,
      actor: { ...actor, label: 'a\tb\n\u001b[2J\u009b\u202e\u2028 é 🙂' },
      data: { name: '\u009b31m' },
    })
    expect(line.split('\t')).toHaveLength(6)
    expect(line).toContain('a\\u{9}b\\u{a}\\u{1b}[2J\\u{9b}\\u{202e}\\u{2028} é 🙂')
    expect(line).not.toMatch(/[\p{Cf}\p{Zl}]|(?!\t)\p{Cc}/u)
  })
})
