import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { COSIGNED_NOTE, LOG_VKEY, RECEIPT, WITNESS_LINE, WITNESS_VKEY } from '../../support/proof/check-value.ts'
import { bodyWith, planReceipt, soleReceipt } from '../../support/proof/receipts.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'check-receipt-'))

/** Writes a file and returns its path. */
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(FOLDER, name)
  writeFileSync(path, content)
  return path
}

const check = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'check-receipt', ...args], {
    env: bareEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout: stdout.replaceAll(`${FOLDER}/`, ''), stderr: stderr.replaceAll(`${FOLDER}/`, '') }
}

const GOOD = file('good.tlog-proof', RECEIPT)
const KEY = ['--key', LOG_VKEY] as const
const POLICY = file('policy', `log ${LOG_VKEY}\nwitness w ${WITNESS_VKEY}\nquorum w\n`)
const DOCUMENT = file('document.json', '{}')

describe('ers check-receipt', () => {
  it('prints what a good receipt shows', () => {
    expect(check(GOOD, DOCUMENT, '--policy', POLICY)).toEqual({
      status: 0,
      stderr: '',
      stdout: `good.tlog-proof: good
  record       number 2, RunIngested
  recorded at  2026-05-04T09:00:44.000Z (the server's own claim)
  run          a/b
  project      chat
  suite        smoke
  digest       2 bytes, SHA-256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
  document     matches
  actor        static
  origin       results.example/log
  checkpoint   3 records, root fm4iHPSu8P7+o3C5Uc05JZ5ddNKOgak5gJthVDTZdNI=
  signed by    results.example/log+207a464c
  witness      witness.example/w1 at 2026-05-04T09:01:40.000Z
`,
    })
  })

  it('prints the same as one JSON object', () => {
    const { status, stdout } = check(GOOD, '--json', ...KEY)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      code: 0,
      order: null,
      receipts: [
        {
          file: 'good.tlog-proof',
          index: 1,
          seq: 2,
          type: 'RunIngested',
          recorded_at: '2026-05-04T09:00:44.000Z',
          run_id: 'a/b',
          plan_id: null,
          document: 'not given',
          origin: 'results.example/log',
          size: 3,
          root: '7e6e221cf4aef0fefea370b951cd39259e5d74d28e81a939809b615434d974d2',
          signed_by: [LOG_VKEY],
          witnesses: [],
          unchecked: [],
        },
      ],
    })
  })

  it('takes keys of a file, several keys, and documents that are compressed', () => {
    const keys = file('keys', `\n${LOG_VKEY}\n${WITNESS_VKEY}\n`)
    const { status, stdout } = check(GOOD, file('document.bin', gzipSync('{}')), '--key', keys, ...KEY)
    expect([status, stdout]).toEqual([0, expect.stringContaining('document     matches')])
    expect(stdout).toContain('witness.example/w1 at 2026')
    const hinted = check(GOOD, '--key', LOG_VKEY).stdout
    expect(hinted).toContain('witnesses    none checked')
    expect(hinted).toContain('Hint: give the document as the file after its receipt')
    expect(hinted).toContain('Hint: no witness was required')
  })

  it.each<[string, number, string, () => readonly string[]]>([
    ['no key', 2, 'Give --key', () => [GOOD]],
    ['a file that is missing', 2, 'missing cannot be read', () => [join(FOLDER, 'missing'), ...KEY]],
    ['a document that is missing', 2, 'missing cannot be read', () => [GOOD, join(FOLDER, 'missing'), ...KEY]],
    ['a key file that is missing', 2, 'missing cannot be read', () => [GOOD, '--key', join(FOLDER, 'missing')]],
    ['a policy that is missing', 2, 'missing cannot be read', () => [GOOD, '--policy', join(FOLDER, 'missing')]],
    ['a folder', 2, 'cannot be read', () => [FOLDER, ...KEY]],
    ['an unknown option', 2, 'unknown option', () => [GOOD, '--trust-me']],
    ['no receipt', 2, 'missing required argument', () => [...KEY]],
    ['another document', 10, '`ers export` downloads it', () => [GOOD, file('other', '[]'), ...KEY]],
    ['a damaged gzip document', 10, 'damaged', () => [GOOD, file('cut.gz', gzipSync('{}').subarray(0, 12)), ...KEY]],
    [
      'another record',
      10,
      'do not give the root',
      () => [file('index', RECEIPT.replace('index 1', 'index 0')), ...KEY],
    ],
    [
      'a key of another log',
      14,
      'none of the given keys belongs to the log "results.example/log"',
      () => [GOOD, '--key', WITNESS_VKEY],
    ],
    ['a wrong signature', 14, 'is wrong', () => [file('signature', RECEIPT.replace('IHpGTDyT', 'IHpGTDyU')), ...KEY]],
    [
      'too few witnesses',
      15,
      'no witness of the policy has signed; it asks for w',
      () => [file('alone', RECEIPT.replace(`${WITNESS_LINE}\n`, '')), '--policy', POLICY],
    ],
    ['a malformed key', 20, 'verifier key', () => [GOOD, '--key', LOG_VKEY.slice(0, -1)]],
    ['a file without keys', 20, 'no verifier key', () => [GOOD, '--key', file('empty', '\n')]],
    ['a private key', 20, 'private key', () => [GOOD, '--key', file('secret', 'PRIVATE+KEY+a+00000000+AAAA\n')]],
    ['a private key as an option', 20, 'this is a private key', () => [GOOD, '--key', 'PRIVATE+KEY+a+00000000+AAAA']],
    [
      'a private key behind a space',
      20,
      'this is a private key',
      () => [GOOD, '--key', ' PRIVATE+KEY+a+00000000+AAAA'],
    ],
    ['a part of a private key', 20, 'a verifier key has the form', () => [GOOD, '--key', 'KEY+a+00000000+AAAA']],
    ['a malformed policy', 20, 'line 1 of the policy', () => [GOOD, '--policy', file('bad-policy', 'quorum\n')]],
    [
      'a checkpoint',
      20,
      'this is not a receipt (its first line is not c2sp.org/tlog-proof@v1)',
      () => [file('note', COSIGNED_NOTE.slice(0, 40)), ...KEY],
    ],
    ['a document first', 20, 'document.json: this is not a receipt', () => [DOCUMENT, GOOD, ...KEY]],
    ['two documents', 20, 'has a document already', () => [GOOD, DOCUMENT, DOCUMENT, ...KEY]],
    [
      'a compressed document first',
      20,
      'this is not a receipt',
      () => [file('first.gz', gzipSync('{}')), GOOD, ...KEY],
    ],
    ['a long document first', 20, 'this is not a receipt', () => [file('first', ' '.repeat(300_000)), ...KEY]],
    [
      'bytes that are no text',
      20,
      'not UTF-8',
      () => [file('bytes', Buffer.concat([Buffer.from(RECEIPT), Buffer.of(0xff)])), ...KEY],
    ],
    ['other line ends', 20, 'changed on its way', () => [file('crlf', RECEIPT.replaceAll('\n', '\r\n')), ...KEY]],
    ['a byte order mark', 20, 'changed on its way', () => [file('marked', `\ufeff${RECEIPT}`), ...KEY]],
    [
      'a second receipt with a mark',
      20,
      'changed on its way',
      () => [GOOD, file('marked', `\ufeff${RECEIPT}`), ...KEY],
    ],
    [
      'a wrong signature before a damaged document',
      14,
      'is wrong',
      () => [
        file('signature', RECEIPT.replace('IHpGTDyT', 'IHpGTDyU')),
        file('cut.gz', gzipSync('{}').subarray(0, 12)),
        ...KEY,
      ],
    ],
    [
      'a document that is longer than recorded',
      10,
      'longer than the 2 bytes that are recorded. If it was uploaded again',
      () => [GOOD, file('bomb.gz', gzipSync(Buffer.alloc(50_000_000))), ...KEY],
    ],
    [
      'a private key in place of a receipt',
      2,
      'A private key was given',
      () => ['PRIVATE+KEY+a+00000000+AAAA', ...KEY],
    ],
    [
      'a private key in place of a policy',
      2,
      'A private key was given',
      () => [GOOD, '--policy', 'PRIVATE+KEY+a+0+AAAA'],
    ],
    [
      'a malformed key in a file',
      20,
      'keys-2, line 2: a verifier key has the form',
      () => [GOOD, '--key', file('keys-2', `${LOG_VKEY}\nresults.example\n`)],
    ],
    ['two keys on one line', 20, 'line 1', () => [GOOD, '--key', file('two', `${LOG_VKEY} ${WITNESS_VKEY}\n`)]],
    ['a file of keys with a mark', 20, 'line 1', () => [GOOD, '--key', file('marked-keys', `\ufeff${LOG_VKEY}\n`)]],
    [
      'a file of keys that is not UTF-8',
      20,
      'not UTF-8',
      () => [GOOD, '--key', file('latin1', Buffer.from(`gr\xf6\xdfe\n${LOG_VKEY}\n`, 'latin1'))],
    ],
    ['a receipt that is too long', 20, '256 KiB', () => [file('long', RECEIPT + 'é'.repeat(131_072)), ...KEY]],
  ])('refuses %s', (_, code, message, args) => {
    const { status, stdout, stderr } = check(...args())
    expect([status, stdout]).toEqual([code, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('AAAA')
  })

  it('reads a file of keys whose path has a plus', () =>
    expect(check(GOOD, '--key', file('a+00000000+keys', `${LOG_VKEY}\n`)).status).toBe(0))

  it('reads pipes', () => {
    const piped = (content: string, ...args: readonly string[]) => {
      const script = 'cat "$0" | "$@"'
      const command = [process.execPath, PROGRAM, 'check-receipt', ...args, ...KEY]
      const { status, stdout } = spawnSync('sh', ['-c', script, content, ...command], {
        env: bareEnvironment(),
        encoding: 'utf8',
      })
      return [status, stdout]
    }
    const matches = [0, expect.stringContaining('document     matches')]
    expect(piped(GOOD, '/dev/stdin', DOCUMENT)).toEqual(matches)
    expect(piped(file('piped.gz', gzipSync('{}')), GOOD, '/dev/stdin')).toEqual(matches)
  })

  it('prints the bar of a plan', async () => {
    const data = { plan_bytes: null, plan_id: 'p', plan_sha256: '4'.repeat(64), project: 'chat', suite: 'smoke' }
    const bar = { case_count: 40, comparator: '>=', metric: 'pass_rate', threshold: 0.95 }
    const printed = async ({ threshold, ...more }: Readonly<Record<string, unknown>>): Promise<string> => {
      const body = bodyWith({ data: { ...more, ...data, threshold }, stream: 'plan/p' })
      const { receipt, vkey } = await soleReceipt({ type: 'PlanRegistered', body })
      return check(file('bar.tlog-proof', receipt), '--key', vkey).stdout
    }
    expect(await printed(bar)).toContain('  threshold    pass_rate >= 0.95\n  cases        40\n')
    expect(await printed({ case_count: null, comparator: null, metric: null, threshold: null })).not.toMatch(
      /^ {2}(?:bar|cases) /m,
    )
  })

  it('prints each value in one line, whatever an uploader chose', async () => {
    const forged = 'a\n  document     matches\u2028\u202e\u001b[31m'
    const data = { document_bytes: 2, document_sha256: '4'.repeat(64), project: forged, suite: forged }
    const { receipt, vkey } = await soleReceipt({
      type: 'RunIngested',
      body: bodyWith({ data, stream: `run/${encodeURIComponent(forged)}`, actor: { kind: forged } }),
    })
    const { status, stdout } = check(file('forged\n.tlog-proof', receipt), '--key', vkey)
    expect([status, stdout.split('\n').filter((line) => line.startsWith('  document '))]).toEqual([
      0,
      ['  document     not given'],
    ])
    expect(stdout).toContain(String.raw`project      a\u000a  document     matches\u2028\u202e\u001b[31m`)
    expect(stdout).toContain(String.raw`forged\u000a.tlog-proof: good`)
    expect(stdout).not.toMatch(/[\u2028\u202e\u001b]/)
  })

  it('prints a refusal as JSON, and no control characters', () => {
    const path = file('strange\u001b[31m', RECEIPT.replace('index 1', 'index 0'))
    const { status, stdout, stderr } = check(path, '--json', ...KEY)
    expect([status, stderr]).toEqual([10, ''])
    expect(stdout).not.toContain('\u001b')
    expect(JSON.parse(stdout)).toEqual({ ok: false, code: 10, message: expect.stringContaining('root') as unknown })
    expect(check(path, ...KEY).stderr).toContain(String.raw`strange\u001b[31m`)
  })
})

describe('ers check-receipt with several receipts', () => {
  it('prints which record came first, with a document behind each receipt', async () => {
    const { plan, run, vkey } = await planReceipt()
    const files = [file('run.tlog-proof', run), DOCUMENT, file('plan.tlog-proof', plan), file('plan.txt', 'the plan')]
    const { status, stdout, stderr } = check(...files, '--key', vkey)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Order, the earliest first:\n  record 1: plan.tlog-proof\n  record 2: run.tlog-proof\n')
    expect(stdout.match(/document {5}matches/g)).toHaveLength(2)
    expect(JSON.parse(check(...files, '--key', vkey, '--json').stdout)).toMatchObject({
      order: { comparable: true, indexes: [0, 1] },
    })
    expect(check(files[0] ?? '', files[0] ?? '', '--key', vkey).stdout).toContain('All receipts are of one record.')
  })

  it('says that receipts of different logs have no order', async () => {
    const other = await soleReceipt({ seed: 3, origin: 'other.example' })
    const path = file('other.tlog-proof', other.receipt)
    expect(check(GOOD, path, ...KEY, '--key', other.vkey)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('are of different logs') as unknown,
    })
  })

  it('refuses receipts that show two histories of one log', async () => {
    const [one, two] = [await soleReceipt({ seed: 3 }), await soleReceipt({ seed: 3, recorded_at: 2 })]
    const paths = [file('one.tlog-proof', one.receipt), file('two.tlog-proof', two.receipt)]
    const { status, stderr } = check(...paths, '--key', one.vkey)
    expect([status, stderr]).toEqual([10, expect.stringContaining('two different roots of 1 records')])
    const { run, plan, vkey } = await planReceipt({ recorded_at: 5 })
    const first = await soleReceipt({ seed: 7, origin: 'log.example' })
    expect(first.vkey).toBe(vkey)
    const forked = check(file('first.tlog-proof', first.receipt), file('plan.tlog-proof', plan), '--key', vkey)
    expect([forked.status, forked.stderr]).toEqual([10, expect.stringContaining('two different records of number 1')])
    expect(check(file('first.tlog-proof', first.receipt), file('run.tlog-proof', run), '--key', vkey).status).toBe(0)
  })
})
