import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErs } from '../../support/servers/run-ers.ts'
import { cachePath } from '../../../domain/cache/key.ts'

const key = (digit: string): string => `sha256:${digit.repeat(64)}`
const body = (empty_reason?: string): string =>
  JSON.stringify({ created_at: '2026-05-03T22:10:00Z', kind: 'provider', model: 'm', output: 'Yes.', empty_reason })

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cache-local-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs `ers cache` in the folder of the spec. The service that the environment names does not exist. */
const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(['cache', ...args], { cwd: folder, env: { SERVICE_SERVER_URL: 'http://127.0.0.1:1', ...env } })

/** Writes an entry that is so many days old. */
const entry = (digit: string, days: number, text = body(), root = join(folder, '.service/cache')): void => {
  const path = join(root, cachePath(key(digit)))
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  const time = Date.now() / 1000 - days * 86_400
  utimesSync(path, time, time)
}

describe('the local cache of a suite', () => {
  it('is in its folder, or where the option or the variable says', async () => {
    mkdirSync(join(folder, 'suite'))
    writeFileSync(join(folder, 'suite', 'service.yaml'), '')
    expect((await ers(['path'])).stdout).toBe(`${folder}/.service/cache\n`)
    for (const suite of ['suite', 'suite/service.yaml'])
      expect((await ers(['path', suite])).stdout).toBe(`${folder}/suite/.service/cache\n`)
    expect((await ers(['path'], { SERVICE_CACHE_DIR: 'there' })).stdout).toBe(`${folder}/there\n`)
    expect((await ers(['path', '--cache-dir', 'here'], { SERVICE_CACHE_DIR: 'there' })).stdout).toBe(`${folder}/here\n`)
    expect((await ers(['path', 'nowhere'])).code).toBe(2)
  })

  it('is read and written with --local', async () => {
    writeFileSync(join(folder, 'body'), body())
    expect((await ers(['stats', '--local'])).stdout).toBe('0 entries, 0.00 MiB\n')
    expect((await ers(['show', key('a'), '--local'])).code).toBe(3)
    expect(await ers(['put', key('a'), 'body', '--local'])).toMatchObject({ code: 0, stdout: 'stored\n' })
    expect((await ers(['get', key('a'), '--cache-dir', '.service/cache'])).stdout).toBe(body())
    expect((await ers(['ls', '--local', '.'])).stdout).toContain(key('a'))
    expect((await ers(['stats', '--local'])).stdout).toBe('1 entries, 0.00 MiB\n')
    expect((await ers(['stats', '--local', '.', '--dir', 'x'])).code).toBe(2)
  })

  it('loses the entries that match all rules of gc', async () => {
    for (const [digit, days] of [
      ['a', 1],
      ['b', 10],
      ['c', 40],
    ] as const)
      entry(digit, days)
    entry('d', 40, body('blank'))
    expect((await ers(['gc'])).code).toBe(2)
    expect((await ers(['gc', '--newer-than', '1d'])).code).toBe(2)
    expect((await ers(['gc', '--older-than', '30'])).code).toBe(2)
    expect((await ers(['gc', '--older-than', '30d', '--newer-than', '39d'])).stdout).toBe(
      'removed 0 of 4 cache entries\n',
    )
    expect((await ers(['gc', '--older-than', '48h', '--empty-reason', 'blank'])).stdout).toBe(
      'removed 1 of 4 cache entries\n',
    )
    expect((await ers(['gc', '--older-than', '48h'])).stdout).toBe('removed 2 of 3 cache entries\n')
    expect((await ers(['gc', '--empty-reason', 'blank'])).stdout).toBe('removed 0 of 1 cache entry\n')
  })

  it('loses unfinished entries of more than an hour with gc and with clear', async () => {
    const unfinished = (name: string, minutes: number): string => {
      const path = join(folder, '.service/cache', 'aa', name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, 'x')
      const time = Date.now() / 1000 - minutes * 60
      utimesSync(path, time, time)
      return path
    }
    const name = 'a'.repeat(64)
    for (const command of [['gc', '--older-than', '30d'], ['clear']]) {
      const [old, recent, other] = [
        unfinished(`${name}.tmp-7-1`, 61),
        unfinished(`${name}.tmp-7-2`, 1),
        unfinished('notes.tmp-7-1', 61),
      ]
      expect((await ers(command)).code).toBe(0)
      expect([old, recent, other].map((path) => existsSync(path))).toEqual([false, true, true])
    }
  })

  it('is empty after clear', async () => {
    entry('a', 1)
    entry('b', 0, '')
    entry('c', 10_000)
    expect((await ers(['clear'])).stdout).toBe('cleared 3 cache entries\n')
    expect((await ers(['clear'])).stdout).toBe('cleared 0 cache entries\n')
  })
})
