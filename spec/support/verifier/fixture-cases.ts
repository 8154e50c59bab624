import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import * as z from 'zod'
import { asText, type ProofCase } from './cases.ts'
import {
  DOCUMENT,
  DOCUMENT_FACTS,
  SEEDS,
  canonical,
  checkpointOf,
  consistencyOf,
  noteKey,
  openingOf,
  pathOf,
  proofOf,
  receiptOf,
  rootOf,
  sealed,
  sha256,
  signatureLine,
  signedCheckpoint,
  written,
  writtenRun,
  writtenRuns,
} from './written-log.ts'

/** The keys of the fixtures: a log, the same log after a rotation, and three witnesses. */
export const LOG = noteKey('results.example/log', SEEDS.go, 1)
const LOG_2 = noteKey('results.example/log', SEEDS.rfc1, 1)
const OTHER_LOG = noteKey('other.example/log', SEEDS.rfc1, 1)
const UNICODE_LOG = noteKey('ergebnisse.example/größe-日本-🦉', SEEDS.rfc2, 1)
export const W1 = noteKey('witness.example/w1', SEEDS.tessera, 4)
export const W2 = noteKey('witness.example/w2', SEEDS.rfc2, 4)
const W3 = noteKey('witness.example/w3', SEEDS.rfc3, 4)

const policyOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`
const LOG_LINE = `log ${LOG.vkey}`
export const POLICY_W1 = policyOf(LOG_LINE, `witness w1 ${W1.vkey}`, 'quorum w1')
export const POLICY_BOTH = policyOf(
  LOG_LINE,
  `witness w1 ${W1.vkey}`,
  `witness w2 ${W2.vkey}`,
  'group both all w1 w2',
  'quorum both',
)
const threeOf = (rule: string): string =>
  policyOf(
    LOG_LINE,
    ...[W1, W2, W3].map((witness, index) => `witness w${index + 1} ${witness.vkey}`),
    `group some ${rule} w1 w2 w3`,
    'quorum some',
  )

/** A vkey of any type, with its right key id. */
const vkeyOf = (name: string, type: number, key: Uint8Array): string => {
  const data = Buffer.concat([Buffer.of(type), key])
  const id = sha256(Buffer.from(`${name}\n`), data)
    .toString('hex')
    .slice(0, 8)
  return `${name}+${id}+${data.toString('base64')}`
}

/** All control characters but white space, which is refused anyway. */
const CONTROLS = Array.from({ length: 32 }, (_, code) => code)

/** All white space of Unicode beyond ASCII, and a line end of old systems. */
const UNICODE_SPACES = [
  ...['\u0085', '\u00a0', '\u1680', '\u2000', '\u2003', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'],
]

const ML_DSA_LOG = vkeyOf(LOG.name, 6, Buffer.alloc(1312, 3))
const ML_DSA_LINE = `log ${ML_DSA_LOG}`

/** A line with the name and the id of a key, and a signature that is none. */
const ofKey = (vkey: string, length: number): string => {
  const [name = '', id = ''] = vkey.split('+')
  return signatureLine(name, Buffer.concat([Buffer.from(id, 'hex'), Buffer.alloc(length, 7)]))
}

/** The record of the check value of the event log. */
const CHECK_RECORD = sealed(
  'RunIngested',
  1_777_885_244_000,
  '{"actor":{"address":null,"credential_id":null,"kind":"static","scope":"write","user_id":null},"data":{"document_bytes":2,"document_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","project":"chat","suite":"smoke"},"request_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA","stream":"run/a%2Fb","version":1}',
  '000102030405060708090a0b0c0d0e0f',
)
/** The tree of the check value: leaves 0 and 2 are samples of RFC 6962. */
const CHECK_LEAVES = [sha256(Buffer.of(0)), CHECK_RECORD.leaf, sha256(Buffer.of(0), Buffer.of(0x10))]
export const CHECK_CHECKPOINT = signedCheckpoint(CHECK_LEAVES, [LOG, W1])
export const CHECK_RECEIPT = receiptOf(CHECK_RECORD, 1, CHECK_LEAVES, [LOG, W1])

const EDGES = z.array(
  z.object({ name: z.string(), code: z.number(), key: z.string(), message: z.string(), signature: z.string() }),
)

type Trusted = { readonly keys?: readonly string[]; readonly policy?: string | null }
const caseOf =
  (command: ProofCase['command']) =>
  (
    name: string,
    code: number,
    files: readonly string[],
    { policy = null, keys = policy === null ? [LOG.vkey] : [] }: Trusted = {},
  ): ProofCase => ({
    name,
    command,
    code,
    files,
    keys,
    policy,
  })
const receipt = caseOf('receipt')
const checkpoint = caseOf('checkpoint')
const consistency = caseOf('consistency')

const RUNS = writtenRuns(300)
const LEAVES = RUNS.map(({ leaf }) => leaf)
/** A receipt of the log of 300 runs. */
export const receiptAt = (
  index: number,
  size: number,
  keys: readonly [typeof LOG, ...(typeof LOG)[]] = [LOG],
): string => {
  const record = RUNS[index]
  if (record === undefined) throw new Error(`there is no record ${index}`)
  return receiptOf(record, index, LEAVES.slice(0, size), keys)
}
export const checkpointAt = (size: number, keys: readonly [typeof LOG, ...(typeof LOG)[]] = [LOG]): string =>
  signedCheckpoint(LEAVES.slice(0, size), keys)

/** Receipts of one record of each size, from 1 to 300, and of documents that are too long for a file of fixtures. */
export const sizedCases = (): ProofCase[] => [
  ...LEAVES.map((_, at) => receipt(`size ${at + 1}`, 0, [receiptAt((at * 7) % (at + 1), at + 1), DOCUMENT])),
  receipt('a document of 2 GB in 2 MB', 10, [receiptAt(5, 9), bomb()]),
  receipt('a compressed document with 50,000 empty parts behind its end', 0, [
    receiptAt(5, 9),
    asText(Buffer.concat([gzipSync(DOCUMENT), ...Array.from({ length: 50_000 }, () => EMPTY_GZIP)])),
  ]),
]

const alone = (record: typeof CHECK_RECORD): string => receiptOf(record, 0, [record.leaf], [LOG])
const withBody = (type: string, body: string): string => alone(sealed(type, 1_777_885_244_000, body, '00'.repeat(16)))
const bodyOf = (stream: string, data: unknown, changes: object = {}): string =>
  canonical({ actor: { kind: 'system' }, data, request_id: null, stream, version: 1, ...changes })
/** The receipt of a plan with the text `{}`. */
const planOf = (changes: object): string =>
  alone(
    written('PlanRegistered', 5, 'plan/p', 1, {
      plan_bytes: 2,
      plan_sha256: sha256(Buffer.from('{}')).toString('hex'),
      ...changes,
    }),
  )
const withExtra = (extra: string): string => proofOf(extra, 1, pathOf(1, CHECK_LEAVES), CHECK_CHECKPOINT)
const longLine = (name: string, length: number): string => signatureLine(name, Buffer.alloc(length, 7))
const unknownLines = (count: number, length: number): string =>
  Array.from({ length: count }, (_, index) => longLine(`unknown.example/${index}`, length)).join('')

const EMPTY_GZIP = gzipSync('')
/** Two thousand parts of a megabyte of zeros each. */
const bomb = (): string => {
  const part = gzipSync(Buffer.alloc(1_000_000))
  return asText(Buffer.concat(Array.from({ length: 2000 }, () => part)))
}
const gzipped = (text: string, behind: Uint8Array): string => asText(Buffer.concat([gzipSync(text), behind]))
/** An object with objects in it, so many inside each other. */
const nested = (levels: number): object =>
  Array.from({ length: levels - 1 }).reduce<object>((inner, _, n) => ((levels - n) % 2 === 0 ? { inner } : [inner]), {})
const nestedGroups = (count: number): string =>
  policyOf(
    LOG_LINE,
    `witness w ${W1.vkey}`,
    ...Array.from({ length: count }, (_, n) => `group g${n} all ${n === 0 ? 'w' : `g${n - 1}`}`),
    `quorum g${count - 1}`,
  )

const goodReceipts = (): ProofCase[] => [
  receipt('check value', 0, [CHECK_RECEIPT]),
  receipt('check value with its policy', 0, [CHECK_RECEIPT], { policy: POLICY_W1 }),
  receipt('check value with its document', 0, [CHECK_RECEIPT, '{}']),
  receipt('check value with its compressed document', 0, [CHECK_RECEIPT, asText(gzipSync('{}'))]),
  receipt('check value with its document, compressed in two parts', 0, [CHECK_RECEIPT, gzipped('{', gzipSync('}'))]),
  ...[1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 300].flatMap((size) =>
    [...new Set([0, size >> 1, size - 1])].map((index) =>
      receipt(`record ${index} of ${size}`, 0, [receiptAt(index, size), DOCUMENT]),
    ),
  ),
  receipt('16 signatures of 5 KB', 0, [CHECK_RECEIPT + unknownLines(14, 5000)], { policy: POLICY_W1 }),
  receipt('64 signatures', 0, [CHECK_RECEIPT + unknownLines(62, 68)]),
  receipt(
    'names in Unicode',
    0,
    [
      receiptOf(
        writtenRun(1, 'läuft/日本 🦉'),
        1,
        [CHECK_RECORD.leaf, writtenRun(1, 'läuft/日本 🦉').leaf],
        [UNICODE_LOG],
      ),
    ],
    {
      keys: [UNICODE_LOG.vkey],
    },
  ),
  receipt('a long body', 0, [
    alone(written('RunIngested', 5, 'run/long', 1, { ...DOCUMENT_FACTS, note: 'ä'.repeat(40_000) })),
  ]),
  receipt('numbers and names of RFC 8785', 0, [
    alone(
      written('RunIngested', 5, 'run/numbers', 1, {
        ...DOCUMENT_FACTS,
        '€': 1,
        '\r': 2,
        '\ufb33': 3,
        '1': 4,
        '😀': 5,
        '\u0080': 6,
        ö: '\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028',
        numbers: [
          333333333.3333333, 1e30, 4.5, 0.002, 1e-27, 1e21, 1e20, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308, -1.5, 0.1,
          9007199254740992,
        ],
      }),
    ),
  ]),
  receipt('a plan', 0, [planOf({})]),
  receipt('a plan with its text', 0, [planOf({}), '{}']),
  receipt('a plan registered by its digest alone', 0, [planOf({ plan_bytes: null })]),
  receipt('a plan registered by its digest alone, with its text', 0, [planOf({ plan_bytes: null }), '{}']),
  receipt('a plan registered by its digest alone, with its compressed text', 0, [
    planOf({ plan_bytes: null }),
    asText(gzipSync('{}')),
  ]),
  receipt('a run whose id has every kind of character', 0, [
    alone(written('RunIngested', 5, `run/${encodeURIComponent("ü/ %+!~*'()-_.é日🦉")}`, 1, DOCUMENT_FACTS)),
  ]),
  ...['RunOfLaterVersions', 'PlanOfLaterVersions'].map((type) =>
    receipt(`${type} in a stream of accounts`, 0, [withBody(type, bodyOf('accounts', {}))]),
  ),
  // The body itself is one level.
  receipt('a body of 64 levels', 0, [withBody('OtherThing', bodyOf('accounts', nested(63)))]),
  receipt('a record of another kind about a run', 0, [
    withBody('OtherThing', bodyOf('run/a', {}, { request_id: 'r' })),
  ]),
  receipt('another record', 0, [alone(written('UserCreated', 5, 'accounts', 1, {}))]),
  receipt('both keys of a rotation', 0, [receiptAt(3, 9, [LOG, LOG_2])], { keys: [LOG.vkey, LOG_2.vkey] }),
  receipt('one key of a rotation', 0, [receiptAt(3, 9, [LOG, LOG_2])], { keys: [LOG_2.vkey] }),
  receipt('keys of two logs', 0, [receiptAt(3, 9, [LOG])], { keys: [OTHER_LOG.vkey, LOG.vkey] }),
  receipt('two of three witnesses', 0, [receiptAt(3, 9, [LOG, W1, W3])], { policy: threeOf('2') }),
  receipt('any of three witnesses', 0, [receiptAt(3, 9, [LOG, W3])], { policy: threeOf('any') }),
  receipt('no witness needed', 0, [receiptAt(3, 9)], { policy: policyOf(LOG_LINE, 'quorum none') }),
  receipt('a policy with groups, comments, tabs and URLs', 0, [receiptAt(3, 9, [LOG, W1, W2])], {
    policy: policyOf(
      '# ä comment',
      '',
      ` \t log\t${LOG.vkey}  https://results.example/log `,
      `witness größe ${W1.vkey} https://w1.example/`,
      `witness w2 ${W2.vkey}`,
      'group g 1 größe',
      `witness w3 ${W3.vkey}`,
      'group h any w2 w3',
      'group all all g h',
      '  # another',
      'quorum all',
    ),
  }),
]

const replaced = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, () => to)
  if (changed === text) throw new Error(`${String(from)} is not in the text`)
  return changed
}

/** A cosignature with the last bit of its time exchanged. */
const withOtherTime = (line: string): string => {
  const [, name = '', data = ''] = line.trim().split(' ')
  const bytes = Buffer.from(data, 'base64')
  bytes.writeUInt8(bytes.readUInt8(11) ^ 1, 11)
  return signatureLine(name, bytes)
}

const badReceipts = (): ProofCase[] => {
  const good = receiptAt(5, 9)
  const lines = good.split('\n')
  const edited = (edit: (lines: string[]) => void): string => {
    const copy = [...lines]
    edit(copy)
    return copy.join('\n')
  }
  const opening = (from: string | RegExp, to: string): string => withExtra(replaced(openingOf(CHECK_RECORD), from, to))
  return [
    receipt('empty', 20, ['']),
    receipt('other first line', 20, [replaced(good, '@v1', '@v2')]),
    receipt('first line with another character', 20, [replaced(good, 'c2sp.', 'c2sp,')]),
    receipt('byte order mark', 20, [`\ufeff${good}`]),
    receipt('CRLF', 20, [good.replaceAll('\n', '\r\n')]),
    receipt('not UTF-8', 20, [asText(Buffer.concat([Buffer.from(good), Buffer.of(0xff, 0x0a)]))]),
    receipt('no extra', 20, [edited((all) => all.splice(1, 1))]),
    receipt('extra twice', 20, [edited((all) => all.splice(1, 0, all[1] ?? ''))]),
    receipt('empty extra', 20, [edited((all) => all.splice(1, 1, 'extra '))]),
    receipt('extra with white space', 20, [edited((all) => all.splice(1, 1, `${all[1] ?? ''} `))]),
    receipt('extra is not base64', 20, [edited((all) => all.splice(1, 1, 'extra !'))]),
    receipt('extra without padding', 20, [edited((all) => all.splice(1, 1, 'extra e30'))]),
    receipt('extra of URL-safe base64', 20, [edited((all) => all.splice(1, 1, 'extra __8='))]),
    receipt('no index', 20, [edited((all) => all.splice(2, 1))]),
    ...[
      'index',
      'index ',
      'index x',
      'index -1',
      'index +5',
      'index 05',
      'index 5 ',
      'index  5',
      'index 5.0',
      'index 5e0',
      'index ٥',
      'index 99999999999999999999',
      'Index 5',
    ].map((line) => receipt(`line "${line}"`, 20, [edited((all) => all.splice(2, 1, line))])),
    receipt('index out of the tree', 10, [edited((all) => all.splice(2, 1, 'index 9'))]),
    receipt('greatest index', 10, [edited((all) => all.splice(2, 1, 'index 9007199254740991'))]),
    receipt('other index', 10, [edited((all) => all.splice(2, 1, 'index 4'))]),
    receipt('hash is not base64', 20, [edited((all) => all.splice(3, 1, '!'))]),
    receipt('hash of 64 bytes', 20, [edited((all) => all.splice(3, 1, Buffer.alloc(64, 1).toString('base64')))]),
    receipt('too long a line', 20, [edited((all) => all.splice(3, 1, 'A'.repeat(70_000)))]),
    receipt('hash with spare bits', 20, [edited((all) => all.splice(3, 1, `${'A'.repeat(42)}B=`))]),
    receipt('hash left out', 10, [edited((all) => all.splice(3, 1))]),
    receipt('hash put in', 10, [edited((all) => all.splice(4, 0, all[3] ?? ''))]),
    receipt('63 hashes', 10, [edited((all) => all.splice(3, 0, ...Array.from({ length: 59 }, () => all[3] ?? '')))]),
    receipt('64 hashes', 20, [edited((all) => all.splice(3, 0, ...Array.from({ length: 60 }, () => all[3] ?? '')))]),
    receipt('no empty line', 20, [replaced(good, '\n\n', '\n')]),
    receipt('two empty lines', 20, [replaced(good, '\n\n', '\n\n\n')]),
    receipt('no checkpoint', 20, [good.slice(0, good.indexOf('\n\n') + 2)]),
    receipt('over 256 KiB', 20, [CHECK_RECEIPT + unknownLines(10, 20_000)]),
    receipt('65 signatures', 20, [CHECK_RECEIPT + unknownLines(63, 68)]),
    receipt('opening with white space', 20, [opening(',"recorded_at"', ', "recorded_at"')]),
    receipt('opening with another order', 20, [opening(/,"type":"RunIngested","v":1/, ',"v":1,"type":"RunIngested"')]),
    receipt('opening with one member more', 20, [opening('"v":1', '"v":1,"w":2')]),
    receipt('opening with a member twice', 20, [opening('"v":1', '"v":1,"v":1')]),
    receipt('opening with one member less', 20, [opening(',"v":1', '')]),
    ...['2', '"1"', 'true', '1.0', '1e0', '[1]'].map((v) =>
      receipt(`opening of version ${v}`, 20, [opening('"v":1', `"v":${v}`)]),
    ),
    ...['"1777885244000"', '-1', '1777885244000.5', '9007199254740992', 'null', '1e400'].map((time) =>
      receipt(`recorded at ${time}`, 20, [opening('1777885244000', time)]),
    ),
    receipt('salt in capital letters', 20, [opening('0a0b0c0d0e0f', '0A0B0C0D0E0F')]),
    receipt('short salt', 20, [opening('0e0f"', '0e"')]),
    receipt('a deep opening', 20, [withExtra(`{"body":${'['.repeat(50_000)}`)]),
    receipt('an opening with a lone surrogate', 20, [opening('"type":"RunIngested"', '"type":"\\ud800"')]),
    receipt('an opening with an escape that is not needed', 20, [
      opening('"type":"RunIngested"', '"type":"\\u0052unIngested"'),
    ]),
    receipt('an opening with a slash escaped', 20, [opening('"type":"RunIngested"', '"type":"Run\\/Ingested"')]),
    receipt('opening that is a list', 20, [withExtra('[]')]),
    receipt('opening that is not UTF-8', 20, [good.replace(/extra .*/, `extra ${Buffer.of(0xff).toString('base64')}`)]),
    receipt('other salt', 10, [opening('000102', '010102')]),
    receipt('other time', 10, [opening('1777885244000', '1777885244001')]),
    receipt('other type', 10, [opening('"type":"RunIngested"', '"type":"RunDeleted"')]),
    receipt('other body', 10, [opening('chat', 'chut')]),
    receipt('no trusted name', 14, [good], { keys: [OTHER_LOG.vkey] }),
    receipt('other key of the name', 14, [good], { keys: [LOG_2.vkey] }),
    receipt('a trusted line is wrong', 14, [
      good +
        signatureLine(LOG.name, Buffer.concat([Buffer.from(LOG.vkey.split('+')[1] ?? '', 'hex'), Buffer.alloc(64)])),
    ]),
    receipt('a trusted line is short', 14, [
      good + signatureLine(LOG.name, Buffer.concat([Buffer.from(LOG.vkey.split('+')[1] ?? '', 'hex'), Buffer.of(1)])),
    ]),
    receipt('origin of another log', 14, [
      proofOf(
        openingOf(CHECK_RECORD),
        0,
        [],
        ((text) => `${text}\n${LOG.line(text)}`)(checkpointOf('other.example/log', 1, CHECK_RECORD.leaf)),
      ),
    ]),
    receipt('a witness is missing', 15, [good], { policy: POLICY_W1 }),
    receipt('one of two witnesses', 15, [receiptAt(5, 9, [LOG, W2])], { policy: POLICY_BOTH }),
    receipt('one of three witnesses', 15, [receiptAt(5, 9, [LOG, W2])], { policy: threeOf('2') }),
    receipt('a witness signed another tree', 14, [good + W1.line(checkpointOf(LOG.name, 9, sha256()))], {
      policy: POLICY_W1,
    }),
    receipt(
      'a witness signed as the log',
      15,
      [good + replaced(W1.line(checkpointOf(LOG.name, 9, rootOf(LEAVES.slice(0, 9)))), W1.name, LOG.name)],
      { policy: policyOf(LOG_LINE, `witness w1 ${noteKey(LOG.name, SEEDS.tessera, 4).vkey}`, 'quorum w1') },
    ),
    receipt('other document', 10, [good, `${DOCUMENT} `]),
    receipt('compressed other document', 10, [good, asText(gzipSync(`${DOCUMENT} `))]),
    receipt('a document of another length than recorded', 10, [
      alone(written('RunIngested', 5, 'run/a', 1, { ...DOCUMENT_FACTS, document_bytes: DOCUMENT.length + 1 })),
      DOCUMENT,
    ]),
    receipt('a compressed document with zeros behind its end', 10, [good, gzipped(DOCUMENT, Buffer.alloc(2))]),
    receipt('a compressed document with text behind its end', 10, [good, gzipped(DOCUMENT, Buffer.from('x'))]),
    receipt('a compressed document without the end of its trailer', 10, [
      good,
      asText(gzipSync(DOCUMENT).subarray(0, -4)),
    ]),
    receipt('a compressed document with a second part that is damaged', 10, [
      good,
      gzipped(DOCUMENT, gzipSync('').subarray(0, -1)),
    ]),
    receipt('a compressed document of two parts, longer than recorded', 10, [good, gzipped(DOCUMENT, gzipSync(' '))]),
    receipt('damaged compressed document', 10, [good, asText(gzipSync(DOCUMENT).subarray(0, 12))]),
    receipt('a wrong signature, and damaged compressed document', 14, [
      receiptAt(5, 9, [LOG_2]),
      asText(gzipSync(DOCUMENT).subarray(0, 12)),
    ]),
    receipt('a malformed receipt, and damaged compressed document', 20, [
      edited((all) => all.splice(3, 1, '!')),
      asText(gzipSync(DOCUMENT).subarray(0, 12)),
    ]),
    receipt(
      'too few witnesses, and damaged compressed document',
      15,
      [good, asText(gzipSync(DOCUMENT).subarray(0, 12))],
      {
        policy: POLICY_W1,
      },
    ),
    receipt('a document for a record without one', 10, [alone(written('UserCreated', 5, 'accounts', 1, {})), DOCUMENT]),
    receipt('another text of a plan registered by its digest alone', 10, [planOf({ plan_bytes: null }), '{ }']),
    receipt('a plan without length', 10, [planOf({ plan_bytes: undefined })]),
    receipt('a plan with a length that is a text', 10, [planOf({ plan_bytes: '2' })]),
    receipt('a plan with a length that is not whole', 10, [planOf({ plan_bytes: 1.5 })]),
    receipt('a plan with a short digest', 10, [planOf({ plan_sha256: '44' })]),
    receipt('a plan without digest', 10, [planOf({ plan_sha256: null })]),
    receipt('a run without the length of its document', 10, [
      withBody('RunIngested', bodyOf('run/a', { ...DOCUMENT_FACTS, document_bytes: null })),
    ]),
    receipt('a run without document', 10, [withBody('RunIngested', bodyOf('run/a', {}))]),
    receipt('a record of another type that names a document', 10, [
      withBody('OtherThing', bodyOf('accounts', DOCUMENT_FACTS)),
      DOCUMENT,
    ]),
    ...[
      'run/',
      'run',
      'run/a/b',
      'run/%zz',
      'run/%',
      'run/%61',
      'run/%2f',
      'run/%FF',
      'run/ü',
      'run/a b',
      'runs/a',
    ].map((stream) =>
      receipt(`a run in the stream ${stream}`, 10, [withBody('RunIngested', bodyOf(stream, DOCUMENT_FACTS))]),
    ),
    ...['run', 'run/', 'run/a/b', 'plan/%61', 'plan/a/', 'plan'].map((stream) =>
      receipt(`a record of another kind in the stream ${stream}`, 10, [withBody('OtherThing', bodyOf(stream, {}))]),
    ),
    ...['RunDeleted', 'PlanRevealed', 'PlanWithdrawn'].map((type) =>
      receipt(`${type} in a stream of accounts`, 10, [withBody(type, bodyOf('accounts', {}))]),
    ),
    receipt('RunDeleted in the stream of a plan', 10, [withBody('RunDeleted', bodyOf('plan/a', {}))]),
    receipt('PlanRevealed in the stream of a run', 10, [withBody('PlanRevealed', bodyOf('run/a', {}))]),
    ...[null, 'system', [], 1].flatMap((value) => [
      receipt(`an actor that is ${JSON.stringify(value)}`, 10, [
        withBody('OtherThing', bodyOf('accounts', {}, { actor: value })),
      ]),
      receipt(`data that is ${JSON.stringify(value)}`, 10, [withBody('OtherThing', bodyOf('accounts', value))]),
    ]),
    ...[1, false, {}, []].map((value) =>
      receipt(`a request id that is ${JSON.stringify(value)}`, 10, [
        withBody('OtherThing', bodyOf('accounts', {}, { request_id: value })),
      ]),
    ),
    receipt('body is not canonical', 10, [withBody('RunIngested', `${bodyOf('run/a', DOCUMENT_FACTS)} `)]),
    receipt('a deep body', 10, [withBody('RunIngested', `${'['.repeat(20_000)}${']'.repeat(20_000)}`)]),
    receipt('a body of 65 levels', 10, [withBody('OtherThing', bodyOf('accounts', nested(64)))]),
    receipt('a body of 500 levels', 10, [withBody('OtherThing', bodyOf('accounts', nested(499)))]),
    receipt('body is not JSON', 10, [withBody('RunIngested', 'x')]),
    receipt('body of another stream', 10, [withBody('RunIngested', bodyOf('accounts', DOCUMENT_FACTS))]),
    receipt('body without data', 10, [withBody('RunIngested', bodyOf('run/a', null))]),
    receipt('body of version 0', 10, [withBody('RunIngested', bodyOf('run/a', DOCUMENT_FACTS, { version: 0 }))]),
    receipt('body with a number in another spelling', 10, [
      withBody('RunIngested', replaced(bodyOf('run/a', DOCUMENT_FACTS), '"version":1', '"version":1.0')),
    ]),
  ]
}

const badTrust = (): ProofCase[] => {
  const good = receiptAt(5, 9, [LOG, W1, W2])
  const w1 = `witness w1 ${W1.vkey}`
  const bad = (name: string, ...lines: readonly string[]): ProofCase =>
    receipt(`policy: ${name}`, 20, [good], { policy: policyOf(...lines) })
  // The octets of the name are those of Latin-1, the key id is that of these octets.
  const latin1Vkey = ((data) =>
    `witness\xe9+${sha256(Buffer.from('witness\xe9\n', 'latin1'), data).toString('hex').slice(0, 8)}+${data.toString('base64')}`)(
    Buffer.concat([Buffer.of(4), Buffer.alloc(32, 3)]),
  )
  const key = (name: string, vkey: string): ProofCase => receipt(`key: ${name}`, 20, [good], { keys: [vkey] })
  return [
    receipt('policy: no line end', 0, [good], { policy: policyOf(LOG_LINE, 'quorum none').trimEnd() }),
    receipt('policy: bytes that are not UTF-8', 0, [good], {
      policy: asText(
        Buffer.from(
          policyOf(LOG_LINE, '# \xe4', `witness \xe4 ${W1.vkey} \xff`, 'group \xff any \xe4', 'quorum \xff'),
          'latin1',
        ),
      ),
    }),
    receipt('policy: names that differ in bytes that are not UTF-8', 20, [good], {
      policy: asText(Buffer.from(policyOf(LOG_LINE, `witness \xe4 ${W1.vkey}`, 'quorum \xe5'), 'latin1')),
    }),
    receipt('policy: names whose octets are é in Latin-1 and in UTF-8', 15, [receiptAt(5, 9, [LOG, W1])], {
      policy: asText(
        Buffer.concat([
          Buffer.from(policyOf(LOG_LINE, `witness \xe9 ${W1.vkey}`, `witness \xc3\xa9 ${W2.vkey}`), 'latin1'),
          Buffer.from('group both all \xe9 \xc3\xa9\nquorum both\n', 'latin1'),
        ]),
      ),
    }),
    receipt('policy: the quorum is é in UTF-8, and é in Latin-1 has signed', 15, [receiptAt(5, 9, [LOG, W1])], {
      policy: asText(
        Buffer.from(
          policyOf(LOG_LINE, `witness \xe9 ${W1.vkey}`, `witness \xc3\xa9 ${W2.vkey}`, 'quorum \xc3\xa9'),
          'latin1',
        ),
      ),
    }),
    receipt('policy: the name of a key in Latin-1', 20, [good], {
      policy: asText(Buffer.from(policyOf(LOG_LINE, `witness w ${latin1Vkey}`, 'quorum none'), 'latin1')),
    }),
    receipt('policy: an ML-DSA-44 key of a log', 0, [good], { policy: policyOf(LOG_LINE, ML_DSA_LINE, 'quorum none') }),
    receipt(
      'policy: an ML-DSA-44 key of a log, whose signature is not looked at',
      0,
      [good + ofKey(ML_DSA_LOG, 2420)],
      {
        policy: policyOf(LOG_LINE, ML_DSA_LINE, 'quorum none'),
      },
    ),
    receipt('policy: no log but one with an ML-DSA-44 key', 14, [good + ofKey(ML_DSA_LOG, 2420)], {
      policy: policyOf(ML_DSA_LINE, 'quorum none'),
    }),
    bad('an ML-DSA-44 key of a log twice', LOG_LINE, ML_DSA_LINE, ML_DSA_LINE, 'quorum none'),
    bad('a cosigner key of a log', `log ${W1.vkey}`, 'quorum none'),
    receipt('policy: 4,000 groups in each other', 0, [receiptAt(5, 9, [LOG, W1])], { policy: nestedGroups(4000) }),
    receipt('policy: 4,000 groups in each other, and no witness', 15, [receiptAt(5, 9, [LOG, W2])], {
      policy: nestedGroups(4000),
    }),
    receipt('policy: 4,096 lines', 0, [good], { policy: `${'\n'.repeat(4093)}${policyOf(LOG_LINE, 'quorum none')}` }),
    receipt('policy: over 4,096 lines', 20, [good], {
      policy: `${'\n'.repeat(4094)}${policyOf(LOG_LINE, 'quorum none')}`,
    }),
    receipt('policy: a key that is given too', 0, [good], { keys: [LOG.vkey], policy: POLICY_W1 }),
    receipt('policy: a witness whose key is given too', 0, [good], { keys: [W1.vkey], policy: POLICY_W1 }),
    receipt('policy: no-break space in a name', 0, [good], {
      policy: policyOf(LOG_LINE, `witness w\u00a01 ${W1.vkey}`, 'quorum w\u00a01'),
    }),
    receipt('policy: no log', 14, [good], { policy: policyOf(w1, 'quorum w1') }),
    receipt('policy: a log after the quorum', 0, [good], { policy: policyOf(w1, 'quorum w1', LOG_LINE) }),
    receipt('policy: a witness that is not in the quorum', 0, [good], {
      policy: policyOf(LOG_LINE, w1, 'quorum none'),
    }),
    receipt(
      'policy: a wrong line of a witness that is not in the quorum',
      14,
      [receiptAt(5, 9) + W1.line(checkpointOf(LOG.name, 9, sha256()))],
      { policy: policyOf(LOG_LINE, w1, 'quorum none') },
    ),
    receipt('policy: an ML-DSA-44 witness that did not sign', 0, [good], {
      policy: policyOf(LOG_LINE, w1, `witness pq ${vkeyOf('pq.example/w', 6, Buffer.alloc(1312, 3))}`, 'quorum w1'),
    }),
    bad(
      'an ML-DSA-44 key of wrong length',
      LOG_LINE,
      `witness pq ${vkeyOf('pq.example/w', 6, Buffer.alloc(1311, 3))}`,
      'quorum none',
    ),
    bad(
      'a key of an unknown type',
      LOG_LINE,
      `witness x ${vkeyOf('x.example/w', 5, Buffer.alloc(32, 3))}`,
      'quorum none',
    ),
    bad('a short key', LOG_LINE, `witness x ${vkeyOf('x.example/w', 4, Buffer.alloc(31, 3))}`, 'quorum none'),
    bad('no quorum', LOG_LINE, w1),
    bad('two quorums', LOG_LINE, w1, 'quorum w1', 'quorum w1'),
    bad('unknown quorum', LOG_LINE, 'quorum w1', w1),
    bad('unknown word', LOG_LINE, 'logs x', 'quorum none'),
    bad('too many words', LOG_LINE, 'quorum none none'),
    bad('log twice', LOG_LINE, LOG_LINE, 'quorum none'),
    bad('key of a log twice', LOG_LINE, `log ${noteKey('other.example', SEEDS.go, 1).vkey}`, 'quorum none'),
    bad(
      'key of a witness twice',
      LOG_LINE,
      w1,
      `witness w2 ${noteKey('other.example', SEEDS.tessera, 4).vkey}`,
      'quorum none',
    ),
    bad('name twice', LOG_LINE, w1, `witness w1 ${W2.vkey}`, 'quorum none'),
    bad('name of a group twice', LOG_LINE, w1, 'group w1 any w1', 'quorum w1'),
    bad('the name none', LOG_LINE, `witness none ${W1.vkey}`, 'quorum none'),
    bad('none as a member', LOG_LINE, w1, 'group g any w1 none', 'quorum g'),
    bad('group without members', LOG_LINE, w1, 'group g all', 'quorum none'),
    bad('a member twice', LOG_LINE, w1, 'group g any w1 w1', 'quorum g'),
    bad('a member of two groups', LOG_LINE, w1, 'group g any w1', 'group h any w1', 'quorum g'),
    bad('a group in itself', LOG_LINE, w1, 'group g any w1 g', 'quorum g'),
    ...['0', '2', '01', '+1', '1.0', 'ALL', ''].map((least) =>
      bad(`group of "${least}"`, LOG_LINE, w1, `group g ${least} w1`, 'quorum g'),
    ),
    bad('a log with the key of a witness', `log ${W1.vkey}`, 'quorum none'),
    bad('a witness with the key of a log', LOG_LINE, `witness w1 ${LOG.vkey}`, 'quorum none'),
    bad('CRLF', `${LOG_LINE}\r`, 'quorum none\r'),
    bad('control character', `${LOG_LINE}`, '# \u0001', 'quorum none'),
    bad('DEL', `${LOG_LINE}`, '# \u007f', 'quorum none'),
    receipt('key: of a witness', 14, [good], { keys: [W1.vkey] }),
    receipt('key: of a witness, and one of the log', 0, [good], { keys: [W1.vkey, LOG.vkey] }),
    receipt('key: of a witness, whose line is wrong, and one of the log', 14, [receiptAt(5, 9) + W1.line('x\n')], {
      keys: [W1.vkey, LOG.vkey],
    }),
    receipt(
      'key: of a cosigner with the name of the log',
      14,
      [receiptAt(5, 9, [LOG, noteKey(LOG.name, SEEDS.tessera, 4)])],
      {
        keys: [noteKey(LOG.name, SEEDS.tessera, 4).vkey],
      },
    ),
    receipt('key: given twice', 0, [good], { keys: [LOG.vkey, LOG.vkey] }),
    receipt('key: of the log, but ML-DSA-44', 14, [good], { keys: [vkeyOf(LOG.name, 6, Buffer.alloc(1312, 3))] }),
    ...CONTROLS.map((code) =>
      key(
        `U+${code.toString(16).padStart(4, '0')} in the name`,
        vkeyOf(`results${String.fromCodePoint(code)}`, 1, Buffer.alloc(32, 3)),
      ),
    ),
    receipt('key: a control character in the name, and a good key', 20, [good], {
      keys: [LOG.vkey, vkeyOf('results\u0001', 1, Buffer.alloc(32, 3))],
    }),
    key('a private key', `PRIVATE+KEY+${LOG.vkey}`),
    key('of an unknown type', vkeyOf(LOG.name, 5, Buffer.alloc(32, 3))),
    key('no key id', LOG.name),
    key('other key id', replaced(LOG.vkey, '207a464c', '207a464d')),
    key('key id in capital letters', replaced(LOG.vkey, '207a464c', '207A464C')),
    key('other name', replaced(LOG.vkey, 'results', 'result')),
    key('without padding', LOG.vkey.replace(/.$/, '')),
    key('white space in the name', replaced(LOG.vkey, 'results', 'results\u00a0')),
    key('empty name', LOG.vkey.replace(LOG.name, '')),
  ]
}

/** Cosignatures with the time 0: they state no time, so that they do not count, but must be right. */
const timeless = (): ProofCase[] => {
  const text = checkpointOf(LOG.name, 300, rootOf(LEAVES))
  const by = (witness: typeof W1, ...times: readonly number[]): string =>
    checkpointAt(300) + times.map((time) => witness.line(text, time)).join('')
  const own = noteKey(LOG.name, SEEDS.tessera, 4)
  return [
    checkpoint('a cosignature without a time', 15, [by(W1, 0)], { policy: POLICY_W1 }),
    checkpoint('a cosignature without a time, by a key that is given', 0, [by(W1, 0)], { keys: [LOG.vkey, W1.vkey] }),
    checkpoint('one of two cosignatures without a time', 15, [by(W1, 5) + W2.line(text, 0)], { policy: POLICY_BOTH }),
    checkpoint('a cosignature without a time, and one with', 0, [by(W1, 0, 5)], { policy: POLICY_W1 }),
    checkpoint('a cosignature with a time, and one without', 0, [by(W1, 5, 0)], { policy: POLICY_W1 }),
    checkpoint('a wrong cosignature without a time', 14, [by(W1, 5) + W1.line(`${text}x\n`, 0)], { policy: POLICY_W1 }),
    checkpoint('a cosigner with the name of the log, named by the policy', 0, [by(own, 5)], {
      policy: policyOf(LOG_LINE, `witness own ${own.vkey}`, 'quorum own'),
    }),
    checkpoint('a cosigner with the name of the log, whose line is wrong', 14, [checkpointAt(300) + own.line('x\n')], {
      keys: [LOG.vkey, own.vkey],
    }),
  ]
}

const checkpoints = (): ProofCase[] => {
  const good = checkpointAt(300, [LOG, W1])
  const text = (body: string): string => `${body}\n${LOG.line(body)}`
  const root = rootOf(LEAVES).toString('base64')
  return [
    checkpoint('check value', 0, [CHECK_CHECKPOINT], { policy: POLICY_W1 }),
    checkpoint('300 records', 0, [good], { policy: POLICY_W1 }),
    checkpoint('empty log', 0, [signedCheckpoint([], [LOG])]),
    checkpoint('greatest size', 0, [text(`${LOG.name}\n9007199254740991\n${root}\n`)]),
    checkpoint('extension line', 0, [text(`${LOG.name}\n300\n${root}\nmore\n`)]),
    checkpoint('empty extension line', 20, [text(`${LOG.name}\n300\n${root}\n\n`)]),
    checkpoint('empty lines between extension lines', 20, [text(`${LOG.name}\n300\n${root}\n\nmore\n`)]),
    checkpoint('greater size', 20, [text(`${LOG.name}\n9007199254740992\n${root}\n`)]),
    ...['-1', '0300', '+300', '3e2', '300 ', '', 'x'].map((size) =>
      checkpoint(`size "${size}"`, 20, [text(`${LOG.name}\n${size}\n${root}\n`)]),
    ),
    checkpoint('short root', 20, [text(`${LOG.name}\n300\n${root.slice(4)}\n`)]),
    checkpoint('no root', 20, [text(`${LOG.name}\n300\n`)]),
    checkpoint('empty origin', 20, [text(`\n300\n${root}\n`)]),
    checkpoint('control character', 20, [text(`${LOG.name}\t\n300\n${root}\n`)]),
    checkpoint('no signature', 20, [good.slice(0, good.indexOf('\n\n') + 2)]),
    checkpoint('no line end', 20, [good.slice(0, -1)]),
    checkpoint('line end more', 20, [`${good}\n`]),
    checkpoint('text behind', 20, [`${good}x\n`]),
    checkpoint('hyphen instead of a dash', 20, [good.replaceAll('—', '-')]),
    checkpoint('two spaces', 20, [replaced(good, '— ', '—  ')]),
    checkpoint('space behind', 20, [replaced(good, /\n$/, ' \n')]),
    checkpoint('plus in a name', 20, [good + longLine('a+b', 68)]),
    checkpoint('no name', 20, [good + longLine('', 68)]),
    checkpoint('white space in a name', 20, [good + longLine('a\u3000b', 68)]),
    checkpoint('NEL in a name', 20, [good + longLine('a\u0085b', 68)]),
    checkpoint('byte order mark in a name', 0, [good + longLine('a\ufeffb', 68)]),
    ...UNICODE_SPACES.flatMap((space) => {
      const name = `U+${(space.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
      const line = longLine('a', 68)
      return [
        checkpoint(`${name} before a signature`, 20, [good + line.replace(/ (?=\S+\n)/, ` ${space}`)]),
        checkpoint(`${name} behind a signature`, 20, [good + line.replace('\n', `${space}\n`)]),
        checkpoint(`${name} in place of a space`, 20, [good + line.replace(/ (?=\S+\n)/, space)]),
        checkpoint(`${name} hides a line`, 20, [good + line.replace('\n', `${space}— b ${'A'.repeat(8)}\n`)]),
      ]
    }),
    checkpoint('a signature of 4 bytes with many paddings', 20, [`${good}— a AAAAAA======\n`]),
    checkpoint('key id alone', 20, [good + longLine('a', 4)]),
    checkpoint('signature of one byte', 0, [good + longLine('a', 5)]),
    checkpoint('signature is not canonical', 20, [`${good}— a AAAAAAB=\n`]),
    checkpoint(
      'the time of a cosignature exchanged',
      14,
      [good + withOtherTime(W2.line(checkpointOf(LOG.name, 300, rootOf(LEAVES)), 5))],
      { policy: POLICY_BOTH },
    ),
    ...timeless(),
    checkpoint(
      'a cosignature of the last time',
      0,
      [checkpointAt(300) + W1.line(checkpointOf(LOG.name, 300, rootOf(LEAVES)), Number.MAX_SAFE_INTEGER)],
      { policy: POLICY_W1 },
    ),
    checkpoint(
      'a cosignature of a time that is too great',
      14,
      [checkpointAt(300) + W1.line(checkpointOf(LOG.name, 300, rootOf(LEAVES)), 2 ** 53)],
      { policy: POLICY_W1 },
    ),
    checkpoint('each line twice', 0, [checkpointAt(300, [LOG, W1, LOG, W1])], { policy: POLICY_W1 }),
    checkpoint(
      'other order of the lines',
      0,
      [((text) => `${text}\n${W1.line(text)}${LOG.line(text)}`)(checkpointOf(LOG.name, 300, rootOf(LEAVES)))],
      { policy: POLICY_W1 },
    ),
    checkpoint(
      'a cosignature of a later time',
      0,
      [checkpointAt(300) + W1.line(checkpointOf(LOG.name, 300, rootOf(LEAVES)), 4_000_000_000)],
      { policy: POLICY_W1 },
    ),
  ]
}

/** The answer of GET /consistency; `edit` changes its proof. */
export const consistencyAt = (
  from: number,
  to: number,
  edit: (proof: string[]) => string[] = (proof) => proof,
): string =>
  JSON.stringify({
    from,
    to,
    from_root: rootOf(LEAVES.slice(0, from)).toString('base64'),
    to_root: rootOf(LEAVES.slice(0, to)).toString('base64'),
    proof: edit(consistencyOf(from, LEAVES.slice(0, to)).map((hash) => hash.toString('base64'))),
  })

const consistencies = (): ProofCase[] => {
  const between = consistencyAt
  const notes = (from: number, to: number): [string, string] => [checkpointAt(from), checkpointAt(to)]
  const hash = sha256().toString('base64')
  return [
    ...[
      [1, 1],
      [1, 2],
      [2, 3],
      [3, 7],
      [4, 7],
      [4, 8],
      [6, 8],
      [8, 8],
      [7, 300],
      [256, 257],
      [256, 300],
      [299, 300],
    ].map(([from = 0, to = 0]) => consistency(`from ${from} to ${to}`, 0, [between(from, to), ...notes(from, to)])),
    ...[
      [1, 2],
      [3, 7],
      [4, 8],
      [256, 300],
    ].flatMap(([from = 0, to = 0]) => [
      consistency(`from ${from} to ${to}, last hash left out`, 10, [
        between(from, to, (proof) => proof.slice(0, -1)),
        ...notes(from, to),
      ]),
      consistency(`from ${from} to ${to}, first hash left out`, 10, [
        between(from, to, (proof) => proof.slice(1)),
        ...notes(from, to),
      ]),
      consistency(`from ${from} to ${to}, hash before`, 10, [
        between(from, to, (proof) => [hash, ...proof]),
        ...notes(from, to),
      ]),
      consistency(`from ${from} to ${to}, hash behind`, 10, [
        between(from, to, (proof) => [...proof, hash]),
        ...notes(from, to),
      ]),
      consistency(`from ${from} to ${to}, other hash`, 10, [
        between(from, to, (proof) => [hash, ...proof.slice(1)]),
        ...notes(from, to),
      ]),
    ]),
    consistency('from 8 to 8 with a hash', 10, [between(8, 8, () => [hash]), ...notes(8, 8)]),
    consistency('backwards', 10, [between(7, 3), ...notes(7, 3)]),
    consistency('from nothing', 10, [between(0, 7), ...notes(0, 7)]),
    consistency('of other sizes', 10, [between(3, 7), ...notes(4, 7)]),
    consistency('other history', 10, [between(3, 7), checkpointAt(3), signedCheckpoint(LEAVES.slice(1, 8), [LOG])]),
    consistency('of two logs', 10, [between(3, 7), checkpointAt(3, [OTHER_LOG]), checkpointAt(7)], {
      keys: [LOG.vkey, OTHER_LOG.vkey],
    }),
    consistency('short hash', 20, [between(3, 7, (proof) => ['AAAA', ...proof]), ...notes(3, 7)]),
    consistency('not JSON', 20, ['x', ...notes(3, 7)]),
    consistency('no proof', 20, ['{"from":3,"to":7}', ...notes(3, 7)]),
    consistency('a wrong signature', 14, [between(3, 7), checkpointAt(3), checkpointAt(7, [OTHER_LOG])]),
  ]
}

const edges = (): ProofCase[] =>
  EDGES.parse(JSON.parse(readFileSync(new URL('../../fixtures/proof/ed25519.json', import.meta.url), 'utf8'))).map(
    ({ name, code, key, message, signature }) => ({
      name,
      command: 'ed25519',
      code,
      files: [key, message, signature].map((hex) => asText(Buffer.from(hex, 'hex'))),
      keys: [],
      policy: null,
    }),
  )

/** All fixtures, with the exit code that every verifier must give. */
export const fixtureCases = (): ProofCase[] => [
  ...goodReceipts(),
  ...badReceipts(),
  ...badTrust(),
  ...checkpoints(),
  ...consistencies(),
  ...edges(),
]
