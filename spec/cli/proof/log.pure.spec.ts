import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseKeys } from '../../../runtime/proof/keys.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

afterAll(() => rmSync(folder, { recursive: true }))

const log = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'log', ...args], {
    cwd: folder,
    env: bareEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
const folder = mkdtempSync(join(tmpdir(), 'ers-keys-'))

describe('ers log', () => {
  it('makes a key that only its owner can read, prints its verifier key, and overwrites nothing', () => {
    const { status, stdout, stderr } = log('keygen', '--origin', 'example.org/log', '--out', 'new-key')
    const file = join(folder, 'new-key')
    const text = readFileSync(file, 'utf8')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`${parseKeys(text)[0].vkey}\n`)
    expect(stdout).toMatch(/^example\.org\/log\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const again = log('keygen', '--origin', 'example.org/log', '--out', 'new-key')
    expect(again).toMatchObject({ status: 2, stdout: '' })
    expect(again.stderr).toContain('new-key exists already, and is not overwritten')
    expect(readFileSync(file, 'utf8')).toBe(text)
    chmodSync(file, 0o644)
    expect(log('key', 'new-key')).toEqual({ status: 0, stdout, stderr: '' })
  })

  it.each([
    [['keygen', '--origin', 'a b', '--out', 'x'], '--origin must have 1 to 255 bytes'],
    [['keygen', '--origin', 'a', '--out', 'no-folder/x'], 'no-folder/x cannot be written'],
    [['keygen', '--origin', 'a'], "required option '--out <file>' not specified"],
    [['key', 'absent'], 'absent cannot be read'],
    [['key', 'broken'], 'broken: line 2 is not a private key'],
    [['key', 'PRIVATE+KEY+a+00000000+secret'], 'A private key was given in place of a file'],
    [['PRIVATE+KEY+a+00000000+secret'], 'A private key was given in place of a file'],
    [['keygen', '--origin', 'a', '--out', 'PRIVATE+KEY+a+00000000+secret'], 'A private key was given'],
  ])('%j is refused', (args, message) => {
    writeFileSync(join(folder, 'broken'), '\nsecret\n')
    const { status, stdout, stderr } = log(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('secret')
  })
})
