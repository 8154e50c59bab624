import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { packagePaths, showInstalling } from '../../../cli/bootstrap/install.mjs'
import { isInForeground, mayReadKeys, watchKeys } from '../../../cli/bootstrap/terminal.mjs'

describe('a process', () => {
  it('is in the foreground if its group is that of the terminal', () => {
    expect(isInForeground('12 (node) S 10 11 9 34816 11 4194304')).toBe(true)
    expect(isInForeground('12 (node) S 10 11 9 34816 77 4194304')).toBe(false)
    expect(isInForeground('12 (a) b (c) S 10 11 9 34816 11 4194304')).toBe(true)
    expect(isInForeground('')).toBe(false)
  })

  it('reads keys only of a terminal', () => {
    const [terminal, pipe] = [{ isTTY: true }, {}]
    expect(mayReadKeys({ stdin: terminal, stdout: terminal, platform: 'win32' })).toBe(true)
    expect(mayReadKeys({ stdin: pipe, stdout: terminal, platform: 'win32' })).toBe(false)
    expect(mayReadKeys({ stdin: terminal, stdout: pipe, platform: 'win32' })).toBe(false)
    // Where it is not known whether the process is in the foreground.
    expect(mayReadKeys({ stdin: terminal, stdout: terminal, platform: 'darwin' })).toBe(false)
  })
})

it('the keys of a terminal print the help for each ?, end with Ctrl-C, and are left alone afterwards', () => {
  const [help, interrupt, write] = [vi.fn(), vi.fn(), vi.fn()]
  const listeners = new Set<(keys: Buffer) => void>()
  const modes: boolean[] = []
  const stdin = {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    on: (_: 'data', listener: (keys: Buffer) => void) => listeners.add(listener),
    off: (_: 'data', listener: (keys: Buffer) => void) => listeners.delete(listener),
    pause: vi.fn(),
  }
  const press = (keys: string) => listeners.forEach((listener) => listener(Buffer.from(keys)))
  const end = watchKeys(help, { stdin, stdout: { write }, interrupt })
  press('x?')
  press('?')
  expect([help.mock.calls.length, interrupt.mock.calls.length]).toEqual([2, 0])
  press('\r')
  expect(write).toHaveBeenCalledWith('\n')
  press('\x03')
  expect(interrupt).toHaveBeenCalledTimes(1)
  end()
  press('?')
  expect([help.mock.calls.length, modes, listeners.size]).toEqual([2, [true, false], 0])
})

describe('an installation', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ers-installing-'))
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true })
  })
  const PATHS = ['node_modules/a', 'node_modules/b']
  const install = (path: string): void => {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), '{}')
  }

  it('counts the packages of this machine', () =>
    expect(
      packagePaths(
        { packages: { '': {}, a: {}, b: { os: ['win32'] }, c: { os: ['linux'], cpu: ['x64'] }, d: { cpu: ['arm'] } } },
        { platform: 'linux', arch: 'x64' },
      ),
    ).toEqual(['a', 'c']))

  it('shows its progress in one line of a terminal, which is removed at its end', () => {
    const written: string[] = []
    const stop = showInstalling(folder, PATHS, { stderr: { isTTY: true, write: (text) => written.push(text) } })
    vi.advanceTimersByTime(1000)
    install(PATHS[0]!)
    vi.advanceTimersByTime(1000)
    stop()
    vi.advanceTimersByTime(1000)
    expect(written).toEqual(['\r0 of 2 packages', '\r1 of 2 packages', '\r\x1b[K'])
  })

  it('prints a line now and then without a terminal', () => {
    const written: string[] = []
    const stop = showInstalling(folder, PATHS, { stderr: { write: (text) => written.push(text) } })
    vi.advanceTimersByTime(14_000)
    expect(written).toEqual([])
    install(PATHS[1]!)
    vi.advanceTimersByTime(60_000)
    stop()
    expect(written).toEqual(['1 of 2 packages\n'])
  })
})
