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
  checkpointAt,
  consistencyAt,
} from '../support/verifier/fixture-cases.ts'
import { VERIFIER, startPython } from '../support/verifier/python.ts'
import type { Python } from '../support/verifier/python.ts'
import { receiptOf, written } from '../support/verifier/written-log.ts'
import type { WrittenRecord } from '../support/verifier/written-log.ts'

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
      late: aloneIn(written('OtherThing', 253_402_300_800_000, 'accounts', 1, {})),
    }
    for (const [name, text] of Object.entries(files)) python.FS.writeFile(`/home/pyodide/${name}`, text)
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

  it('prints times behind the year 9999 as numbers', () => {
    const { code, printed } = run('receipt', 'late', '--key', 'key')
    expect([code, printed]).toEqual([0, expect.stringContaining('recorded_at: 253402300800 s since 1970\n')])
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
      'pathlib',
      're',
      'sys',
      'urllib.parse',
      'zlib',
    ])
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(400)
  })
})
