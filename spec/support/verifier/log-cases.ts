import { gzipSync } from 'node:zlib'
import { asText } from './cases.ts'
import { LOG } from './fixture-cases.ts'
import { drawFrom } from './mutations.ts'
import type { LogCase } from './python.ts'
import { DOCUMENTS, HISTORY, erasureOf, staticLog, tileName, type LoggedRecord, type StaticLog } from './static-log.ts'
import { DOCUMENT, DOCUMENT_FACTS, SEEDS, noteKey, signedCheckpoint, written, writtenRun } from './written-log.ts'

const FILES = staticLog(HISTORY)
const OTHER = noteKey(LOG.name, SEEDS.rfc1, 1)
const keys = [LOG.vkey]

const inLog = (files: StaticLog): Record<string, string> =>
  Object.fromEntries([...files].map(([path, bytes]) => [`log/${path}`, asText(bytes)]))
const documents = Object.fromEntries([...DOCUMENTS].map(([path, bytes]) => [`documents/${path}`, asText(bytes)]))
const whole: LogCase = { name: 'the whole log', code: 0, files: { ...inLog(FILES), ...documents }, keys }

const fileOf = (path: string): Buffer => {
  const bytes = FILES.get(path)
  if (bytes === undefined) throw new Error(`there is no ${path}`)
  return bytes
}
const changed = (
  name: string,
  code: number,
  path: string,
  edit: (bytes: Buffer) => Buffer | string | null,
): LogCase => {
  const bytes = edit(Buffer.from(fileOf(path)))
  return { name, code, files: { [`log/${path}`]: bytes === null ? null : asText(Buffer.from(bytes)) }, keys }
}
const flipped =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes
  }
const ofLine =
  (seq: number, edit: (line: string) => string) =>
  (bytes: Buffer): string =>
    bytes
      .toString()
      .split('\n')
      .map((line, at) => (at === seq - 1 ? edit(line) : line))
      .join('\n')

/** A log that is signed as it is, whatever it holds. All files of the other log are replaced, as it has the same size. */
const signed = (name: string, code: number, edit: (records: LoggedRecord[]) => void): LogCase => {
  const records = [...HISTORY]
  edit(records)
  const files = inLog(staticLog(records.slice(0, HISTORY.length)))
  return { name, code, files, keys }
}
const last = HISTORY.length - 1
const tail = tileName(1, HISTORY.length - 256)
const older = HISTORY.slice(0, 200).map(({ leaf }) => leaf)

/** An exported log, and changes of it. The first case is the whole log. */
export const LOG_CASES: readonly LogCase[] = [
  whole,
  {
    name: 'without documents',
    code: 0,
    files: Object.fromEntries(Object.keys(documents).map((path) => [path, null])),
    keys,
  },
  { name: 'without bodies', code: 0, files: { [`log/bodies/000`]: null, [`log/bodies/${tail}`]: null }, keys },
  {
    name: 'an older checkpoint, whose tiles became full',
    code: 0,
    files: { 'log/checkpoint': signedCheckpoint(older, [LOG]) },
    keys,
  },
  {
    name: 'a compressed document',
    code: 0,
    files: { 'documents/a.json': null, 'documents/a.json.gz': asText(gzipSync(DOCUMENT)) },
    keys,
  },
  { name: 'another document', code: 10, files: { 'documents/a.json': `${DOCUMENT} ` }, keys },
  { name: 'another document of a run whose body is erased', code: 10, files: { 'documents/b.json': '{}' }, keys },
  {
    name: 'another document of a run with a dot and a slash',
    code: 10,
    files: { 'documents/%2Erun%2F7.json': '{}' },
    keys,
  },
  { name: 'another key', code: 14, files: {}, keys: [OTHER.vkey] },
  changed('no checkpoint', 2, 'checkpoint', () => null),
  changed('half a checkpoint', 20, 'checkpoint', (bytes) => bytes.subarray(0, 60)),
  changed('a checkpoint of another root', 14, 'checkpoint', (bytes) => bytes.toString().replace('\n270\n', '\n269\n')),
  {
    name: 'an older checkpoint, whose partial tile is gone',
    code: 10,
    files: {
      'log/checkpoint': signedCheckpoint(
        HISTORY.slice(0, 260).map(({ leaf }) => leaf),
        [LOG],
      ),
    },
    keys,
  },
  changed('a leaf', 10, 'tile/0/000', flipped(77)),
  changed('a node', 10, 'tile/1/000.p/1', flipped(7)),
  changed('a leaf of the last tile', 10, `tile/0/${tail}`, flipped(0)),
  changed('a tile missing', 10, 'tile/0/000', () => null),
  changed('a tile of level 1 missing', 10, 'tile/1/000.p/1', () => null),
  changed('half a tile', 10, 'tile/0/000', (bytes) => bytes.subarray(0, 4096)),
  changed('a partial tile that is longer than its name says', 10, `tile/0/${tail}`, (bytes) =>
    Buffer.concat([bytes, bytes.subarray(-32)]),
  ),
  changed('an entry', 10, 'tile/entries/000', flipped(40)),
  changed('entries missing', 10, 'tile/entries/000', () => null),
  changed('half the entries', 10, 'tile/entries/000', (bytes) => bytes.subarray(0, 4096)),
  changed('an entry more', 10, `tile/entries/${tail}`, (bytes) =>
    Buffer.concat([bytes, fileOf('tile/entries/000').subarray(0, 200)]),
  ),
  changed(
    'a body',
    10,
    'bodies/000',
    ofLine(2, (line) => line.replace('chat', 'chut')),
  ),
  changed(
    'a salt',
    10,
    'bodies/000',
    ofLine(2, (line) => line.replace(/"salt":"../, '"salt":"00')),
  ),
  changed(
    'a salt that is none',
    20,
    'bodies/000',
    ofLine(2, (line) => line.replace(/"salt":"./, '"salt":"g')),
  ),
  changed('bodies exchanged', 10, 'bodies/000', (bytes) => bytes.toString().replace(/^(.*)\n(.*)\n/, '$2\n$1\n')),
  changed(
    'a body missing that was not erased',
    10,
    'bodies/000',
    ofLine(2, () => '{"seq":2,"salt":null,"body":null}'),
  ),
  changed(
    'an erasure missing',
    10,
    'bodies/000',
    ofLine(6, () => 'null'),
  ),
  changed(
    'an erased body that came back',
    10,
    'bodies/000',
    ofLine(5, () => JSON.stringify({ seq: 5, salt: HISTORY[4]?.salt, body: HISTORY[4]?.body })),
  ),
  changed('bodies missing', 10, 'bodies/000', () => null),
  changed('a line of bodies missing', 10, 'bodies/000', (bytes) =>
    bytes.toString().split('\n').slice(0, 200).join('\n'),
  ),
  changed(
    'a line of bodies that is not JSON',
    20,
    'bodies/000',
    ofLine(2, () => 'x'),
  ),
  signed('another history, signed', 0, (records) => records.splice(last, 1, writtenRun(600, 'other'))),
  signed('a time that goes back', 10, (records) => records.splice(last, 1, writtenRun(3, 'other'))),
  signed('a version left out before any erasure', 10, (records) => records.splice(3, 1, writtenRun(4, 'a', 4))),
  signed('a version twice', 10, (records) => records.splice(last, 1, writtenRun(600, 'a', 3))),
  signed('a version that is no number', 10, (records) =>
    records.splice(last, 1, { ...written('RunIngested', 600, 'run/x', 0, {}) }),
  ),
  signed('the type of another stream', 10, (records) =>
    records.splice(last, 1, written('RunIngested', 600, 'accounts', 1, DOCUMENT_FACTS)),
  ),
  signed('an erasure of what is there', 10, (records) => records.splice(last, 1, erasureOf(600, 2, null))),
  signed('an erasure that is erased', 10, (records) =>
    records.splice(last - 1, 2, { ...erasureOf(600, 2, null), isErased: true }, erasureOf(600, last, null)),
  ),
  signed('an erasure that keeps no stream', 20, (records) => records.splice(5, 1, erasureOf(6, 5, {}))),
]

/** A short log, and changes of one bit or of the length, anywhere in its tiles, entries and bodies. */
export const damagedLogs = (count: number): LogCase[] => {
  const files = staticLog(HISTORY.slice(0, 20))
  const draw = drawFrom(1)
  const parts = [...files].filter(([path]) => path !== 'checkpoint')
  const cases = Array.from({ length: count }, (_, n): LogCase => {
    const [path, bytes] = parts[draw(parts.length)] ?? ['', Buffer.alloc(0)]
    const at = draw(bytes.length)
    const edited = draw(4) > 0 ? flipped(at)(Buffer.from(bytes)) : bytes.subarray(0, Math.min(at, bytes.length - 2))
    return { name: `${n}: ${path} at ${at}`, code: 10, files: { [`log/${path}`]: asText(edited) }, keys }
  })
  return [{ ...whole, files: inLog(files) }, ...cases]
}
