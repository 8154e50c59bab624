import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'ers-code-cache-'))
const build = join(root, 'dist')
const cache = join(root, 'node_modules/.cache/code')
mkdirSync(build, { recursive: true })
copyFileSync(new URL('../../cli/code-cache.cjs', import.meta.url), join(build, 'code-cache.cjs'))
/** Writes a file as the build does: as a function. */
const writeCode = (name: string, text: string): void =>
  writeFileSync(join(build, name), `(function (exports, require, module, __filename, __dirname) {\n${text}})\n`)
writeCode(
  'main.1.code.cjs',
  `const part = require('./part.1.code.cjs')
exports.answer = () => ({ part: part.twice(21), sep: require('node:path').posix.sep, same: require('./part.1.code.cjs') === part })
`,
)
writeCode('part.1.code.cjs', `exports.twice = function twice(n) { return 2 * n }\n`)

afterAll(() => rmSync(root, { recursive: true }))

/** Runs the entry in a process of its own; with `until`, the process lives until it has written what it compiled. */
const answer = (until?: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [
      '-e',
      `const { answer } = require(${JSON.stringify(join(build, 'code-cache.cjs'))}).runEntry('main', 'main.1.code.cjs')
       const { existsSync, readFileSync } = require('node:fs')
       console.log(JSON.stringify(answer()))
       const until = ${JSON.stringify(until ?? null)}
       if (until) { const timer = setInterval(() => existsSync(until) && readFileSync(until).includes('part.1') && clearInterval(timer), 20) }`,
    ]).toString(),
  )

it('runs an entry without compiled code, with it, and with damaged code', () => {
  const expected = { part: 42, sep: '/', same: true }
  const file = join(cache, `main.1-${process.version}-${process.arch}`)
  expect(answer(file)).toEqual(expected)
  const kept = readFileSync(file)
  expect(answer()).toEqual(expected)

  // The functions that have run are in it, so V8 need not compile them again.
  expect(kept.toString('latin1')).toContain('twice')
  writeFileSync(file, kept.subarray(0, kept.length - 100))
  expect(answer()).toEqual(expected)
  writeFileSync(file, 'nothing of ours')
  expect(answer(file)).toEqual(expected)
})

it('removes the compiled code of old builds of the same entry, and nothing else', () => {
  const others = ['main.0-v1-x64', 'main.2-v1-x64', 'main-thread.0-v1-x64']
  for (const name of others) writeFileSync(join(cache, name), 'other')
  const old = new Date('2001-01-01')
  utimesSync(join(cache, 'main.0-v1-x64'), old, old)
  utimesSync(join(cache, 'main-thread.0-v1-x64'), old, old)
  const file = join(cache, `main.1-${process.version}-${process.arch}`)
  rmSync(file)
  answer(file)
  expect(readdirSync(cache).filter((name) => others.includes(name))).toEqual(['main-thread.0-v1-x64', 'main.2-v1-x64'])
})

it('goes on where nothing can be kept', () => {
  rmSync(cache, { recursive: true })
  writeFileSync(cache, 'no folder')
  const survived = `
    const { answer } = require(${JSON.stringify(join(build, 'code-cache.cjs'))}).runEntry('main', 'main.1.code.cjs')
    setTimeout(() => console.log(answer().part), 3100)`
  expect(execFileSync(process.execPath, ['-e', survived]).toString()).toBe('42\n')
})
