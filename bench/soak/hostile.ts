import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { smallDocument } from '../../spec/support/documents/small-document.ts'
import { ask } from './clients.ts'
import { startSoakServer } from './server.ts'
import { MIB, MAX_RESIDENT_MIB, type SoakContext } from './soak.ts'

/** Maximum time for a refusal. */
const MAX_MS = 2000
/** Maximum time for a body that is stored: a few times the time that an ordinary document of 64 MiB takes. */
const MAX_STORED_MS = 10_000
const LARGE = 64 * MIB

type Hostile = {
  readonly name: string
  readonly body: () => Buffer
  readonly encoding?: string
  /** The server may also store it; then the export must be identical. */
  readonly mayPass?: boolean
}

const repeated = (text: string, count: number): string => text.repeat(count)
const keys = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":${n % 10}`).join(',')
/** A valid document with one case that has this output. */
const documentWith = (output: string): Buffer =>
  Buffer.from(smallDocument('hostile', { cases: 1 }).replace('"output":', `"output":${output},"ignored":`))
const fill = (unit: string, bytes: number, frame: (inner: string) => string): Buffer =>
  Buffer.from(frame(repeated(`${unit},`, Math.floor(bytes / (unit.length + 1))) + unit))

const BODIES: readonly Hostile[] = [
  { name: 'depth 10^6', body: () => Buffer.from(repeated('[', 1e6) + repeated(']', 1e6)) },
  { name: 'depth 10^6 in a case', body: () => documentWith(repeated('{"a":', 1e6) + '1' + repeated('}', 1e6)) },
  {
    name: '10^7 keys',
    body: () => Buffer.from(`{${Array.from({ length: 50 }, () => repeated('"a":1,', 2e5)).join('')}"a":1}`),
  },
  { name: '10^6 keys of one object in a case', body: () => documentWith(`{${keys(1e6)}}`), mayPass: true },
  { name: '3.9 * 10^6 keys of one object in a case', body: () => documentWith(`{${keys(3.9e6)}}`), mayPass: true },
  {
    name: '3 * 10^6 distinct keys, 100 in each object',
    body: () =>
      documentWith(
        `[${Array.from({ length: 3e4 }, (_, o) => `{${Array.from({ length: 100 }, (_, n) => `"k${o}_${n}":1`).join(',')}}`).join(',')}]`,
      ),
    mayPass: true,
  },
  {
    name: '10^5 keys of one object, in reverse order',
    body: () => documentWith(`{${keys(1e5).split(',').reverse().join(',')}}`),
    mayPass: true,
  },
  { name: '64 MiB of {}', body: () => fill('{}', LARGE - 8, (inner) => `[${inner}]`) },
  {
    name: '64 MiB of {} as cases',
    body: () => fill('{}', LARGE - 64, (inner) => `{"schema_version":3,"cases":[${inner}]}`),
  },
  { name: '3.9 * 10^6 {} in a case', body: () => documentWith(`[${repeated('{},', 3.9e6)}{}]`), mayPass: true },
  { name: '3.9 * 10^6 [] in a case', body: () => documentWith(`[${repeated('[],', 3.9e6)}[]]`), mayPass: true },
  {
    name: '3.4 * 10^6 numbers with 16 decimals in a case',
    body: () => documentWith(`[${repeated('0.1234567890123456,', 3.4e6)}1]`),
    mayPass: true,
  },
  { name: '60 MiB of one number', body: () => documentWith(`1${repeated('0', 60 * MIB)}`), mayPass: true },
  {
    name: '60 MiB of one text with escapes',
    body: () => documentWith(`"${repeated('\\u0000', 10 * MIB)}"`),
    mayPass: true,
  },
  { name: '60 MiB of one word', body: () => documentWith(`"${repeated('a', 60 * MIB)}"`), mayPass: true },
  {
    name: '60 MiB of combining marks',
    body: () => documentWith(`"${repeated('\u0315\u0300\u05ae\u0062', 8 * MIB)}"`),
    mayPass: true,
  },
  { name: 'a key of 60 MiB', body: () => documentWith(`{"${repeated('k', 60 * MIB)}":1}`), mayPass: true },
  {
    name: '300,000 empty cases',
    body: () =>
      fill('{}', 900_000, (inner) =>
        smallDocument('hostile').replace(/"cases":\[[^]*\],"summary"/, `"cases":[${inner}],"summary"`),
      ),
  },
  { name: '64 MiB of white space', body: () => Buffer.alloc(LARGE, 0x20) },
  { name: '64 MiB of opening quotes', body: () => Buffer.alloc(LARGE, 0x22) },
  {
    name: '64 MiB of backslashes in a text',
    body: () => Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(LARGE - 8, 0x5c)]),
  },
  {
    name: '64 MiB whose last byte is invalid UTF-8',
    body: () => Buffer.concat([Buffer.alloc(LARGE - 1, 0x20), Buffer.of(0xff)]),
  },
  {
    name: '__proto__ and constructor',
    body: () => documentWith('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toJSON":1}'),
    mayPass: true,
  },
  {
    name: 'gzip bomb of 10 GiB',
    encoding: 'gzip',
    body: () =>
      Buffer.concat(
        Array.from(
          { length: 160 },
          (
            (member) => () =>
              member
          )(gzipSync(Buffer.alloc(LARGE, 0x20), { level: 9 })),
        ),
      ),
  },
  {
    name: 'gzip bomb, one stream',
    encoding: 'gzip',
    body: () => gzipSync(Buffer.alloc(LARGE * 4, 0x20), { level: 9 }),
  },
  { name: 'deflate bomb', encoding: 'deflate', body: () => deflateSync(Buffer.alloc(LARGE * 4, 0x5b), { level: 9 }) },
  {
    name: 'raw deflate bomb, without zlib header',
    encoding: 'deflate',
    body: () => deflateRawSync(Buffer.alloc(LARGE * 4, 0x5b), { level: 9 }),
  },
  {
    name: '10^6 empty gzip members',
    encoding: 'gzip',
    body: () =>
      Buffer.concat(
        Array.from(
          { length: 1e6 },
          (
            (member) => () =>
              member
          )(gzipSync('')),
        ),
      ),
  },
  { name: 'stacked encodings', encoding: 'gzip, gzip', body: () => gzipSync(gzipSync('{}')) },
  { name: 'gzip in gzip, declared once', encoding: 'gzip', body: () => gzipSync(gzipSync('{}')) },
  { name: 'truncated gzip', encoding: 'gzip', body: () => gzipSync(Buffer.alloc(LARGE / 2, 0x20)).subarray(0, -9) },
  {
    name: 'truncated deflate',
    encoding: 'deflate',
    body: () => deflateSync(Buffer.alloc(LARGE / 2, 0x20)).subarray(0, -9),
  },
  { name: 'gzip with a wrong checksum', encoding: 'gzip', body: () => corrupted(gzipSync(smallDocument('hostile'))) },
]

const corrupted = (bytes: Buffer): Buffer => {
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1
  return bytes
}

/**
 * Bodies that are designed to be expensive: each gets a 4xx, or is stored and exported unchanged, within the limits.
 */
export const hostile = async ({ print, expect }: SoakContext): Promise<void> => {
  const only = process.env['SOAK_ONLY']
  const server = await startSoakServer()
  try {
    for (const { name, body: make, encoding, mayPass = false } of BODIES) {
      if (only !== undefined && !name.includes(only)) continue
      const body = make()
      server.forgetPeak()
      const { status, ms } = await ask(server, '/runs', {
        method: 'POST',
        body,
        headers: encoding === undefined ? {} : { 'content-encoding': encoding },
      })
      const { peak } = server.usage()
      let isExact = true
      if (status === 201) {
        isExact = (await ask(server, '/runs/hostile/export')).body.equals(body)
        await ask(server, '/runs/hostile', { method: 'DELETE' })
      }
      const isProper =
        (status >= 400 && status < 500 && ms <= MAX_MS) || (mayPass && status === 201 && isExact && ms <= MAX_STORED_MS)
      expect(
        isProper && peak <= MAX_RESIDENT_MIB && server.isAlive(),
        `${name}: ${status}${isExact ? '' : ', export DIFFERS'} in ${ms.toFixed(0)} ms, ${(body.length / MIB).toFixed(1)} MiB sent, peak resident memory ${peak.toFixed(0)} MiB`,
      )
    }
    const afterwards = await ask(server, '/runs', { method: 'POST', body: Buffer.from(smallDocument('after')) })
    expect(
      afterwards.status === 201 && server.failures.length === 0,
      `an upload afterwards gets ${afterwards.status}; ${server.failures.length} failures in the log ${server.failures[0]?.slice(0, 300) ?? ''}`,
    )
    print(`resident memory afterwards ${server.usage().resident.toFixed(0)} MiB`)
  } finally {
    await server.stop()
  }
}
