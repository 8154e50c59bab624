import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErsBytes } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

const key = (digit: string): string => `sha256:${digit.repeat(64)}`
const body = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    created_at: '2026-05-03T22:10:00Z',
    service_version: '1.4.0',
    kind: 'provider',
    model: 'm-small',
    cost_usd: 0.5,
    output: 'Yes\u001b[31m.',
    raw: { id: 'r1' },
    ...fields,
  })
let folder: string
let directory: string
afterAll(async () => void (await server.stop()))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  directory = join(folder, 'entries')
})
afterEach(() => rmSync(folder, { recursive: true }))

type Ran = { readonly code: number | null; readonly stdout: string; readonly bytes: Buffer; readonly stderr: string }

const ers = async (
  args: readonly string[],
  { token = server.token, input = '' }: { token?: string; input?: string | Buffer } = {},
): Promise<Ran> => {
  const env = { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: token }
  const { stdout: bytes, ...ran } = await runErsBytes(['cache', ...args], { env, input })
  return { ...ran, stdout: bytes.toString(), bytes }
}
const server = await startServer()

describe('ers cache', () => {
  it('stores and returns any bytes through a service', async () => {
    const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i))
    expect(await ers(['put', 'a'.repeat(64), '-'], { input: all })).toMatchObject({ code: 0, stdout: 'stored\n' })
    expect(await ers(['put', key('a'), '-'], { input: 'more' })).toMatchObject({
      code: 0,
      stdout: 'already stored; the first body is kept\n',
    })
    expect((await ers(['get', key('a')])).bytes).toEqual(all)
  })

  it('stores and returns files through a directory', async () => {
    const [file, copy] = [join(folder, 'body'), join(folder, 'copy')]
    writeFileSync(file, body())
    expect(await ers(['put', key('a'), file, '--dir', directory])).toMatchObject({ code: 0, stdout: 'stored\n' })
    expect(await ers(['get', key('a'), '-o', copy, '--dir', directory])).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(copy, 'utf8')).toBe(body())
    expect((await ers(['stats', '--dir', directory])).stdout).toMatch(/^1 entries, 0\.00 MiB, since /)
  })

  it('lists entries as lines without control characters', async () => {
    await ers(['put', key('b'), '-'], { input: body() })
    expect(
      (await ers(['ls', '--kind', 'provider'])).stdout.split('\n').map((line) => line.split('\t').slice(1)),
    ).toEqual([[key('b'), 'provider', 'm-small', String(body().length), '0.5', '-', 'Yes\\u001b[31m.'], []])
    const { stdout } = await ers(['ls', '--kind', 'provider', '--sort', 'cost', '--json'])
    expect(stdout).not.toContain('\u001b')
    expect(JSON.parse(stdout)).toMatchObject({ key: key('b'), output_preview: 'Yes\u001b[31m.' })
    const shown = (await ers(['show', key('b'), '--raw'])).stdout
    expect(shown).not.toContain('\u001b')
    expect(JSON.parse(shown)).toMatchObject({ output: 'Yes\u001b[31m.', raw: { id: 'r1' } })
  })

  it('shows hits and misses, which only `get` counts', async () => {
    await ers(['put', key('e'), '-'], { input: body({ kind: 'embedding' }) })
    const lookups = async () => {
      const { hits, misses } = JSON.parse((await ers(['stats', '--json'])).stdout) as { hits: number; misses: number }
      return { hits, misses }
    }
    const before = await lookups()
    await ers(['show', key('e')])
    await ers(['get', key('e')])
    expect(await ers(['get', key('f')])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `there is no entry ${key('f')}\n`,
    })
    await expect.poll(lookups).toEqual({ hits: before.hits + 1, misses: before.misses + 1 })
  })

  it('prunes by rules, or by the limits of the service', async () => {
    await ers(['put', key('c'), '-'], { input: body({ kind: 'judge', empty_reason: 'blank' }) })
    expect((await ers(['prune', '--retention'])).stdout).toBe('pruned 0\n')
    expect((await ers(['prune', '--empty-reason', ' ,'])).stdout).toBe('pruned 0\n')
    expect(
      (await ers(['prune', '--empty-reason', 'refusal', '--empty-reason', 'blank', '--kind', 'judge'])).stdout,
    ).toBe('pruned 1\n')
    expect(await ers(['prune'])).toMatchObject({
      code: 2,
      stderr: 'name the entries to delete: give a rule, or --retention\n',
    })
    expect((await ers(['prune', '--retention', '--kind', 'judge'])).code).toBe(2)
  })

  it.each([
    ['a key in upper case', ['get', `sha256:${'A'.repeat(64)}`]],
    ['days below zero', ['prune', '--older-than-days', '-1']],
    ['an unknown sort key', ['ls', '--sort', 'kind']],
    ['a limit of 0', ['ls', '--limit', '0']],
    ['a missing file', ['put', key('a'), '/no/such/file']],
    ['a service and a directory', ['ls', '--dir', '/tmp', '--server', 'http://localhost']],
  ])('rejects %s with exit code 2', async (_, args) => expect(await ers(args)).toMatchObject({ code: 2, stdout: '' }))
})
