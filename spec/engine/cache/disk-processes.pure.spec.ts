import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCallCache } from '../../../engine/cache/create-call-cache.ts'
import { diskCacheClient } from '../../../engine/cache/disk-client.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'
import { quickFolder } from '../../support/quick-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../support/engine/cache-writer.ts')
const KEYS = 60
const { signal } = new AbortController()

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(quickFolder(), 'ers-cache-processes-'))))
afterEach(() => rmSync(directory, { recursive: true }))

/** Runs a writer, which is killed once it has stored so many entries. Returns the entries that it stored for sure. */
const write = async (writer: string, killAfter = Number.POSITIVE_INFINITY): Promise<readonly number[]> => {
  const child = spawn(process.execPath, [SCRIPT, directory, writer, String(KEYS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.split('\n').length > killAfter) child.kill('SIGKILL')
  })
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null]
  expect(code === 0 || killedBy === 'SIGKILL').toBe(true)
  return text.split('\n').slice(0, -1).map(Number)
}

const entries = (): readonly string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' })
const complete = (): readonly string[] => entries().filter((name) => name.endsWith('.json'))
const bodyOf = (name: string) =>
  JSON.parse(readFileSync(join(directory, name), 'utf8')) as { output: string; number: number }

/** Every entry is complete, of one writer, and under its own key. */
const expectSound = (): void => {
  for (const name of complete()) {
    const { output, number } = bodyOf(name)
    expect(output).toBe((output[0] ?? '').repeat(20_000))
    expect(name).toBe(`00/${String(number).padStart(64, '0')}.json`)
  }
}

describe('a cache directory', () => {
  it('of two processes at once has each entry from the one that stored it', async () => {
    const [ofA, ofB] = await Promise.all([write('a'), write('b')])
    expect([...ofA, ...ofB].sort((x, y) => x - y)).toEqual(Array.from({ length: KEYS }, (_, number) => number))
    expectSound()
    for (const name of complete()) {
      const { output, number } = bodyOf(name)
      expect((output.startsWith('a') ? ofA : ofB).includes(number)).toBe(true)
    }
    expect(entries()).toHaveLength(KEYS + 1)
  })

  it('of processes that are killed has no damaged entry, and keeps those it has', async () => {
    const first = new Map<string, string>()
    for (const [round, killAfter] of [3, 5, 2, 7].entries()) {
      const stored = await Promise.all([write(`${round}`, killAfter), write('x', killAfter + 1)])
      expectSound()
      expect(complete().length).toBeGreaterThanOrEqual(stored.flat().length)
      for (const name of complete()) {
        const { output } = bodyOf(name)
        expect(output[0]).toBe(first.get(name) ?? output[0])
        first.set(name, output[0] ?? '')
      }
    }
    await write('z')
    expect(complete()).toHaveLength(KEYS)
    expectSound()
  })

  it('answers a run after it with the entries of a killed one', async () => {
    const stored = await write('a', 2)
    const client = diskCacheClient({ directory, files, writer: 'reader' })
    const cache = createCallCache({ client, now: () => 0, version: '0.1.0', parts: memoryParts() })
    for (const number of stored)
      expect(await cache.readResponse(`sha256:${String(number).padStart(64, '0')}`, signal)).toMatchObject({
        output: 'a'.repeat(20_000),
      })
  })
})
