import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPrograms, programEnvironment } from '../../../engine/processes/run-program.ts'
import { ProgramFailure, type ProgramCall } from '../../../engine/processes/program.ts'
import { isProcessAlive } from '../../support/processes.ts'
import { enginePorts, manualClock } from '../../support/vendors/engine-ports.ts'

const MINUTE_MS = 60_000
const NEVER = new AbortController().signal

/** A program that starts a child, which keeps the pipes open, and writes the pid of it to `pid`. */
const WITH_CHILD = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  require('node:fs').writeFileSync('pid', String(child.pid))`

describe('createPrograms', () => {
  let directory: string
  let clock: ReturnType<typeof manualClock>
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'program-'))
    clock = manualClock()
  })
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true })
  })

  const node = (script: string, more: Partial<ProgramCall> = {}): ProgramCall => ({
    command: [process.execPath, '-e', script],
    directory,
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: '{}',
    timeoutMs: MINUTE_MS,
    ...more,
  })
  const run = (call: ProgramCall, signal: AbortSignal = NEVER) =>
    createPrograms(enginePorts({}, clock)).run(call, signal)
  const failureOf = (call: ProgramCall, signal?: AbortSignal): Promise<ProgramFailure> =>
    run(call, signal).then(
      () => expect.unreachable('the program did its part'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(ProgramFailure)
        return error as ProgramFailure
      },
    )
  const pidOf = async (file: string): Promise<number> => {
    const path = join(directory, file)
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8') !== '').toBe(true)
    return Number(readFileSync(path, 'utf8'))
  }

  it('writes stdin, closes it, and returns stdout and stderr', async () => {
    const result = await run(
      node(
        `process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { console.error('note'); console.log('!') })`,
        {
          stdin: 'Grüße',
        },
      ),
    )
    expect(result).toEqual({ stdout: 'Grüße!\n', stderr: 'note\n', durationMs: 0 })
  })

  it('runs in the given folder with the given environment alone', async () => {
    const { stdout } = await run(
      node(`console.log(process.cwd() + ' ' + Object.keys(process.env).filter((n) => !n.startsWith('__')).sort())`, {
        env: { A: '1' },
      }),
    )
    expect(stdout).toBe(`${directory} A\n`)
  })

  it('starts a relative path from the folder, and a bare name from PATH, without a shell', async () => {
    writeFileSync(join(directory, 'tool'), '#!/bin/sh\necho "$1"\n', { mode: 0o755 })
    expect((await run(node('', { command: ['./tool', '$(id) *'] }))).stdout).toBe('$(id) *\n')
    expect((await run(node('', { command: ['tool', 'x'], env: { PATH: `${directory}:/bin:/usr/bin` } }))).stdout).toBe(
      'x\n',
    )
  })

  it('accepts a program that never reads its stdin, whether it is small or large', async () => {
    for (const size of [10, 4 * 1024 * 1024])
      expect((await run(node('console.log(1)', { stdin: 'x'.repeat(size) }))).stdout).toBe('1\n')
  })

  it('accepts a program that closes its stdin', async () => {
    const script = `require('node:fs').closeSync(0); console.log(1)`
    expect((await run(node(script, { stdin: 'x'.repeat(1024 * 1024) }))).stdout).toBe('1\n')
  })

  it('says why a program does not start', async () => {
    const missing = await failureOf(node('', { command: ['no-such-program'] }))
    expect(missing).toMatchObject({ reason: 'spawn', message: expect.stringContaining('`no-such-program`') as string })
    expect(missing.message).toContain('does not exist')
    writeFileSync(join(directory, 'data'), '', { mode: 0o644 })
    expect((await failureOf(node('', { command: ['./data'] }))).message).toContain('not executable')
    expect((await failureOf(node('', { command: ['a\0b'] }))).reason).toBe('spawn')
    expect((await failureOf(node('', { command: [] }))).message).toBe('the command is empty')
  })

  it('quotes stderr when a program exits with another code than 0', async () => {
    const failure = await failureOf(node(`console.error('no key'); process.exit(3)`))
    expect(failure).toMatchObject({ reason: 'exit', stderr: 'no key\n' })
    expect(failure.message).toMatch(/exited with code 3; stderr: no key$/)
  })

  it('reports the signal that ended a program', async () => {
    const failure = await failureOf(node(`process.kill(process.pid, 'SIGSEGV')`))
    expect(failure).toMatchObject({ reason: 'exit', message: expect.stringContaining('SIGSEGV') as string })
  })

  it('rejects stdout that is no UTF-8', async () => {
    const failure = await failureOf(node(`process.stdout.write(Buffer.from([0x7b, 0xff]))`))
    expect(failure).toMatchObject({ reason: 'not_utf8' })
  })

  it('kills a program that writes more than 16 MiB, and accepts exactly as much', async () => {
    const write = (bytes: number) => `process.stdout.write(Buffer.alloc(${bytes}, 97))`
    expect((await run(node(write(16 * 1024 * 1024)))).stdout).toHaveLength(16 * 1024 * 1024)
    const endless = `require('node:fs').writeFileSync('pid', String(process.pid)); const more = () => process.stdout.write('x'.repeat(65536), more); more()`
    expect(await failureOf(node(endless))).toMatchObject({ reason: 'too_large' })
    const pid = await pidOf('pid')
    await expect.poll(() => isProcessAlive(pid)).toBe(false)
  })

  it('retains the last 64 KiB of stderr', async () => {
    const { stderr } = await run(
      node(`require('node:fs').writeSync(2, 'ä'.repeat(200_000)); require('node:fs').writeSync(2, 'end')`),
    )
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(64 * 1024)
    expect(Buffer.byteLength(stderr)).toBeGreaterThan(64 * 1024 - 4)
    expect(stderr).toMatch(/^ä+end$/)
  })

  it('kills a program and its children at the timeout', async () => {
    const failed = failureOf(
      node(`${WITH_CHILD}; console.error('working'); setInterval(() => {}, 1000)`, { timeoutMs: 5000 }),
    )
    const pid = await pidOf('pid')
    expect(isProcessAlive(pid)).toBe(true)
    clock.advance(5000)
    expect(await failed).toMatchObject({ reason: 'timeout', message: expect.stringContaining('5000 ms') as string })
    await expect.poll(() => isProcessAlive(pid)).toBe(false)
  })

  it('kills a program and its children when the run ends', async () => {
    const run = new AbortController()
    const failed = failureOf(node(`${WITH_CHILD}; setInterval(() => {}, 1000)`), run.signal)
    const pid = await pidOf('pid')
    run.abort()
    expect(await failed).toMatchObject({ reason: 'stopped' })
    await expect.poll(() => isProcessAlive(pid)).toBe(false)
    expect(await failureOf(node(''), run.signal)).toMatchObject({ reason: 'stopped' })
  })

  it('kills the children that a program leaves behind, and returns what it wrote itself', async () => {
    const { stdout } = await run(node(`${WITH_CHILD}; process.stdout.write('{}', () => process.exit(0))`))
    expect(stdout).toBe('{}')
    const pid = await pidOf('pid')
    await expect.poll(() => isProcessAlive(pid)).toBe(false)
  })

  it('does not wait for a child that left the group and holds stdout', async () => {
    const left = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
      require('node:fs').writeFileSync('pid', String(child.pid))
      process.stdout.write('{}', () => process.exit(0))`
    const done = run(node(left))
    const pid = await pidOf('pid')
    try {
      // The second sleep is the time for output that was written before the exit.
      await expect.poll(() => clock.slept.length).toBe(2)
      clock.advance(1000)
      expect((await done).stdout).toBe('{}')
    } finally {
      process.kill(pid, 'SIGKILL')
    }
  })
})

describe('programEnvironment', () => {
  const env = { PATH: '/bin', HOME: '/root', KEY: 'secret', SystemRoot: 'C:\\Windows', SERVICE_PROTOCOL: '9' }

  it('has the protocol, PATH, what is declared and what is passed, and nothing else', () => {
    expect(programEnvironment({}, env, 'linux')).toEqual({ PATH: '/bin', SERVICE_PROTOCOL: '1' })
    expect(
      programEnvironment({ declared: { MODE: 'fast', KEY: 'mine' }, passed: ['KEY', 'NONE'] }, env, 'linux'),
    ).toEqual({
      PATH: '/bin',
      KEY: 'mine',
      MODE: 'fast',
      SERVICE_PROTOCOL: '1',
    })
  })

  it('has what Windows needs to start a program', () => {
    expect(programEnvironment({}, env, 'win32')).toEqual({
      PATH: '/bin',
      SystemRoot: 'C:\\Windows',
      SERVICE_PROTOCOL: '1',
    })
  })
})
