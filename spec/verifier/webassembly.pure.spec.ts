import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  CHECK_CHECKPOINT,
  CHECK_RECEIPT,
  LOG,
  POLICY_BOTH,
  POLICY_W1,
  W1,
  W2,
  checkpointAt,
  consistencyAt,
  fixtureCases,
  sizedCases,
} from '../support/verifier/fixture-cases.ts'
import { LOG_CASES } from '../support/verifier/log-cases.ts'
import { mutatedCases } from '../support/verifier/mutated-cases.ts'
import {
  VERIFIER,
  pyodideCodes,
  pyodideLogCodes,
  startPython,
  systemPythonCodes,
  type Python,
} from '../support/verifier/python.ts'
import { typescriptCodes } from '../support/verifier/typescript.ts'
import { HISTORY, staticLog } from '../support/verifier/static-log.ts'
import { SEEDS, noteKey, receiptOf, written, type WrittenRecord } from '../support/verifier/written-log.ts'

// All specs that start CPython in WebAssembly: a process that does takes seconds for it.

const PROGRAM = `
import contextlib, io, json, sys
import ers_verify
printed, complained = io.StringIO(), io.StringIO()
sys.argv = ['ers_verify.py'] + json.loads(open('arguments').read())
with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
    try:
        code = ers_verify.main()
    except SystemExit as exit:
        code = exit.code
json.dumps({'code': code, 'printed': printed.getvalue(), 'complained': complained.getvalue()})`

const Ended = z.object({ code: z.number(), printed: z.string(), complained: z.string() })

const NOTE = 'run/\ndocument: matches 🦉\u202e\u007f'
/** A cosigner that has the name of the log. */
const OWN = noteKey(LOG.name, SEEDS.rfc3, 4)
const aloneIn = (record: WrittenRecord): string => receiptOf(record, 0, [record.leaf], [LOG])

describe('ers_verify.py', () => {
  let python: Python
  beforeAll(async () => {
    python = await startPython()
    const files = {
      receipt: CHECK_RECEIPT,
      document: '{}',
      other: '{ }',
      checkpoint: CHECK_CHECKPOINT,
      policy: POLICY_W1,
      both: POLICY_BOTH,
      key: `${LOG.vkey}\n`,
      older: checkpointAt(5),
      newer: checkpointAt(9),
      consistency: consistencyAt(5, 9),
      broken: 'x',
      forged: aloneIn(written('OtherThing', 5, 'accounts', 1, { note: NOTE })),
      crlf: CHECK_RECEIPT.replaceAll('\n', '\r\n'),
      marked: `\ufeff${CHECK_RECEIPT}`,
      secret: `PRIVATE+KEY+${LOG.vkey}\n`,
      'two keys': `${LOG.vkey} ${W1.vkey}\n`,
      'marked keys': `\ufeff${LOG.vkey}\n`,
      'no keys': ' \n\t\n',
      'latin1 keys': new Uint8Array(Buffer.from(`gr\xf6\xdfe\n${LOG.vkey}\n`, 'latin1')),
      'keys+of+all': `\r\n \t${LOG.vkey} \r\n${W1.vkey}`,
      long: CHECK_RECEIPT + ' '.repeat(2 ** 18),
      timeless: ((text) =>
        checkpointAt(9) + W1.line(text, 0) + W2.line(text, 9) + W2.line(text, 7) + OWN.line(text, 5))(
        checkpointAt(9).slice(0, checkpointAt(9).indexOf('\n\n') + 1),
      ),
      last: aloneIn(written('OtherThing', 253_402_300_799_999, 'accounts', 1, {})),
      late: aloneIn(written('OtherThing', 253_402_300_800_000, 'accounts', 1, {})),
    }
    for (const [name, text] of Object.entries<string | Uint8Array>(files))
      python.FS.writeFile(`/home/pyodide/${name}`, text)
  })
  const run = (...args: readonly string[]): z.infer<typeof Ended> => {
    python.FS.writeFile('/home/pyodide/arguments', JSON.stringify(args))
    return Ended.parse(JSON.parse(String(python.runPython(PROGRAM))))
  }

  it('prints what a receipt proves', () => {
    const { code, printed } = run('receipt', 'receipt', 'document', '--policy', 'policy', '--json')
    expect([code, JSON.parse(printed)]).toMatchObject([
      0,
      {
        ok: true,
        code: 0,
        record: 2,
        type: 'RunIngested',
        recorded_at: '2026-05-04T09:00:44.000Z',
        stream: 'run/a%2Fb',
        data: { project: 'chat', suite: 'smoke' },
        origin: 'results.example/log',
        size: 3,
        witnesses: [{ name: 'witness.example/w1', at: '2026-05-04T09:01:40.000Z' }],
        document: 'matches',
      },
    ])
  })

  it.each(['text', 'JSON'])('prints ASCII, each value in one line: %s', (form) => {
    const { code, printed } = run('receipt', 'forged', '--key', 'key', ...(form === 'JSON' ? ['--json'] : []))
    expect(code).toBe(0)
    expect(printed).toMatch(/^[ -~\n]*$/)
    expect(printed).toContain(String.raw`run/\ndocument: matches \ud83e\udd89\u202e`)
    expect(printed.split('\n').filter((line) => line.startsWith('document:'))).toEqual(
      form === 'JSON' ? [] : ['document: not given'],
    )
    if (form === 'JSON') expect(JSON.parse(printed)).toMatchObject({ data: { note: NOTE } })
  })

  it('prints the result first', () => {
    expect(run('receipt', 'receipt', '--key', 'key').printed).toMatch(/^good\nok: true\n/)
    expect(run('receipt', 'receipt', 'other', '--key', 'key').printed).toMatch(/^altered\nok: false\ncode: 10\n/)
    expect(run('receipt', 'receipt', '--key', W1.vkey).printed).toMatch(/^not trusted\n/)
    expect(run('receipt', 'receipt', '--policy', 'both').printed).toMatch(/^not witnessed\n/)
    expect(run('receipt', 'broken', '--key', 'key').printed).toMatch(/^not readable\n/)
    expect(run('receipt', 'nothing', '--key', 'key').printed).toBe(
      'not checked\nok: false\ncode: 2\nmessage: nothing does not exist\n',
    )
  })

  it.each([
    ['document', 'not a receipt: its first line is not c2sp.org/tlog-proof@v1'],
    ['crlf', 'changed on its way (line ends or BOM): get it again'],
    ['marked', 'changed on its way (line ends or BOM): get it again'],
  ])('says what is wrong with %s', (file, message) => {
    const { code, printed } = run('receipt', file, '--key', 'key')
    expect([code, printed]).toEqual([20, expect.stringContaining(message)])
  })

  it('does not print a private key that is given in place of something', () => {
    const secret = `PRIVATE+KEY+${LOG.vkey}`
    for (const args of [
      ['receipt', 'receipt', '--key', secret],
      ['receipt', 'receipt', '--policy', secret],
      ['receipt', secret, '--key', 'key'],
      ['receipt', 'receipt', '--key', 'secret'],
      ['receipt', 'receipt', '--policy', 'secret'],
    ]) {
      const { code, printed, complained } = run(...args)
      expect(code).not.toBe(0)
      expect(printed + complained).not.toContain(LOG.vkey)
    }
  })

  it('lists no witness without a time, nor one with the name of the log, and the latest time of each other', () => {
    const listed = (file: string, ...keys: readonly string[]) => {
      const { printed } = run('checkpoint', file, '--json', ...keys.flatMap((key) => ['--key', key]))
      return z.object({ witnesses: z.unknown(), not_checked_here: z.unknown() }).parse(JSON.parse(printed))
    }
    expect(listed('timeless', 'key', W1.vkey, W2.vkey, OWN.vkey)).toEqual({
      witnesses: [{ name: W2.name, at: '1970-01-01T00:00:09.000Z' }],
      not_checked_here: [],
    })
  })

  it('says of a log that no documents were given', () => {
    python.runPython(`import os; os.makedirs('/home/pyodide/exported', exist_ok=True)`)
    for (const [path, bytes] of staticLog(HISTORY)) {
      python.runPython(`os.makedirs(os.path.dirname('/home/pyodide/exported/${path}'), exist_ok=True)`)
      python.FS.writeFile(`/home/pyodide/exported/${path}`, new Uint8Array(bytes))
    }
    const { code, printed } = run('log', 'exported', '--key', 'key')
    expect([code, printed]).toEqual([0, expect.stringContaining('\ndocuments: not given\n')])
    expect(run('log', 'exported', '--key', 'key', '--documents', '.').printed).toContain('\ndocuments: 0\n')
  })

  it('prints times behind the year 9999 as numbers', () => {
    const { code, printed } = run('receipt', 'late', '--key', 'key')
    expect([code, printed]).toEqual([0, expect.stringContaining('recorded_at: 253402300800 s since 1970\n')])
    expect(run('receipt', 'last', '--key', 'key').printed).toContain('recorded_at: 9999-12-31T23:59:59.999Z\n')
  })

  it.each([
    [0, ['receipt', 'receipt', '--key', 'key']],
    [0, ['receipt', '--key', LOG.vkey, 'receipt', 'document']],
    [0, ['checkpoint', 'checkpoint', '--policy', 'policy']],
    [0, ['consistency', 'consistency', 'older', 'newer', '--key', 'key']],
    [2, ['receipt', 'receipt']],
    [2, ['receipt', '--key', 'key']],
    [2, ['receipt', 'nothing', '--key', 'key']],
    [2, ['receipt', 'receipt', '--key', 'nothing']],
    [2, ['receipt', 'receipt', '--policy', 'nothing']],
    [2, ['checkpoint', 'checkpoint', 'older', '--key', 'key']],
    [2, ['consistency', 'consistency', 'older', '--key', 'key']],
    [2, ['log', 'nothing', '--key', 'key']],
    [2, ['unknown', 'receipt', '--key', 'key']],
    [10, ['receipt', 'receipt', 'other', '--key', 'key']],
    [10, ['consistency', 'consistency', 'newer', 'older', '--key', 'key']],
    [14, ['checkpoint', 'checkpoint', '--key', W1.vkey]],
    [15, ['receipt', 'receipt', '--policy', 'both']],
    [0, ['receipt', 'receipt', '--key', 'keys+of+all']],
    [20, ['receipt', 'receipt', '--key', 'two keys']],
    [20, ['receipt', 'receipt', '--key', 'marked keys']],
    [20, ['receipt', 'receipt', '--key', 'latin1 keys']],
    [20, ['receipt', 'receipt', '--key', 'no keys']],
    [20, ['receipt', 'receipt', '--key', 'no keys', '--key', 'key']],
    [20, ['receipt', 'long', '--key', 'key']],
    [20, ['receipt', 'broken', '--key', 'key']],
    [20, ['checkpoint', 'checkpoint', '--key', 'broken']],
    [20, ['checkpoint', 'checkpoint', '--key', LOG.vkey.toUpperCase()]],
    [20, ['checkpoint', 'checkpoint', '--policy', 'broken']],
  ] as const)('ends with %i: %j', (code, args) => {
    const ended = run(...args)
    expect(ended.code, ended.printed + ended.complained).toBe(code)
  })

  it('needs nothing but the standard library, and is short enough to be read', () => {
    const text = readFileSync(VERIFIER, 'utf8')
    const imported = [...text.matchAll(/^(?:import (.*)|from (\S+) import .*)$/gm)].flatMap(
      ([, all, one = '']) => all?.split(', ') ?? [one],
    )
    expect(imported.sort()).toEqual([
      'argparse',
      'base64',
      'datetime',
      'decimal',
      'functools',
      'hashlib',
      'itertools',
      'json',
      'os',
      'pathlib',
      're',
      'sys',
      'urllib.parse',
      'zlib',
    ])
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(460)
  })
})

describe('the verifier without Python on the machine', () => {
  /** All cases, or where the machine has Python every fourth: that one checks all, ten times as fast. */
  const checkedHere = <T>(cases: readonly T[]): readonly T[] =>
    systemPythonCodes([]) === null ? cases : cases.filter((_, at) => at % 4 === 0)
  const label = ({ name, code }: { readonly name: string; readonly code: number }, got = code): string =>
    `${name}: ${got}`

  it('gives the fixtures of proofs their exit codes', async () => {
    // The stack of WebAssembly is that of this process, which is short; and of all sizes every tenth is enough here.
    const cases = checkedHere(
      [...fixtureCases(), ...sizedCases()].filter(({ name }) => !name.includes('deep') && !/^size .*[1-9]$/.test(name)),
    )
    const codes = await pyodideCodes(cases)
    expect(cases.map((each, at) => label(each, codes[at]))).toEqual(cases.map((each) => label(each)))
  })

  it('gives exported logs their exit codes', async () => {
    const cases = checkedHere(LOG_CASES)
    const codes = await pyodideLogCodes(cases)
    expect(cases.map((each, at) => label(each, codes[at]))).toEqual(cases.map((each) => label(each)))
  })

  it('gives changed proofs the codes of the service', async () => {
    const cases = mutatedCases().cases.slice(0, 500)
    expect(await pyodideCodes(cases)).toEqual(await typescriptCodes(cases))
  })
})
