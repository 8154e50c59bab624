import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { InvalidDocument } from '../../../domain/run/invalid-document.ts'
import { MAX_DEPTH, MAX_VALUES, scanDocument } from '../../../domain/run/scan.ts'
import { runCount } from '../../support/random/runs.ts'

const bytesOf = (source: string | Uint8Array) => Buffer.from(source as string)
const scan = (source: string | Uint8Array) => scanDocument(bytesOf(source))

const slicesOf = (source: string | Uint8Array) => {
  const { offsets, lengths, caseCount } = scan(source)
  return Array.from({ length: caseCount }, (_, index) =>
    bytesOf(source).toString('utf8', offsets[index], (offsets[index] ?? 0) + (lengths[index] ?? 0)),
  )
}
const skeletonOf = (source: string) => Buffer.from(scan(source).skeleton).toString()

const refusal = (source: string | Uint8Array) => {
  try {
    scan(source)
    return null
  } catch (error) {
    return error instanceof InvalidDocument ? `${error.reason}: ${error.message}` : error
  }
}

describe('the scanner', () => {
  it('cuts out the elements of cases, without white space around them', () => {
    const source = '{ "a": [1], "cases" : [ {"x":[1,{}]} ,\n2,"[,]\\"" ,\t[ ] ], "b": {"cases":[7]} }'
    expect(slicesOf(source)).toEqual(['{"x":[1,{}]}', '2', '"[,]\\""', '[ ]'])
    expect(skeletonOf(source)).toBe('{ "a": [1], "cases" : [], "b": {"cases":[7]} }')
  })

  it('finds no cases in an empty array, in a nested object, or without an object', () => {
    for (const source of [
      '{"cases":[]}',
      '{"cases":[ \n]}',
      '{"a":{"cases":[1]}}',
      '[{"cases":[1]}]',
      '["cases",[1]]',
      '"cases"',
      '',
      ' ',
    ]) {
      expect(slicesOf(source)).toEqual([])
    }
    expect(skeletonOf('{"cases":[ \n]}')).toBe('{"cases":[]}')
  })

  it('uses the last key `cases`, with or without escapes, as JSON.parse does', () => {
    expect(slicesOf('{"cases":[1],"cases":[2,3]}')).toEqual(['2', '3'])
    expect(skeletonOf('{"cases":[1],"cases":[2,3]}')).toBe('{"cases":[1],"cases":[]}')
    expect(slicesOf('{"cases":[1],"c\\u0061ses":[2]}')).toEqual(['2'])
    expect(slicesOf('{"\\u0063\\u0061\\u0073\\u0065\\u0073":[2]}')).toEqual(['2'])
    expect(slicesOf('{"cases":[1],"cases":{"a":[2]}}')).toEqual([])
    expect(slicesOf('{"cases":[1],"cases":null}')).toEqual([])
    expect(slicesOf('{"Cases":[1],"cases ":[2],"\\cases":[3]}')).toEqual([])
  })

  it('ends strings where JSON.parse does, for any length and escapes', () => {
    const piece = fc.constantFrom('a', '\\\\', '\\"', '\\n', '\\u0022', 'é', ','.repeat(30), 'b'.repeat(23), '[]{}:')
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { minLength: 1, maxLength: 6 }), (strings) => {
        const texts = strings.map((pieces) => `"${pieces.join('')}"`)
        const { caseCount, offsets, lengths } = scanDocument(
          Buffer.from(`{"cases":[${texts.join(',')}],"x":"${'y'.repeat(50)}"}`),
        )
        expect(caseCount).toBe(texts.length)
        const source = Buffer.from(`{"cases":[${texts.join(',')}]`)
        expect(texts.map((_, i) => source.toString('utf8', offsets[i], (offsets[i] ?? 0) + (lengths[i] ?? 0)))).toEqual(
          texts,
        )
      }),
      { numRuns: runCount(1000) },
    )
  })

  it('marks parts that contain a number that no double represents', () => {
    const source =
      '{"a":0.30000000000000004,"cases":[1e2,9007199254740993,{"x":[-0]},"9007199254740993",-1.5,true,1e400]}'
    expect([...scan(source).exact]).toEqual([0, 1, 1, 0, 0, 0, 1])
    expect(scan(source).exactSkeleton).toBe(false)
    expect(scan('{"a":12345678901234567890,"cases":[1]}')).toMatchObject({ exactSkeleton: true, caseCount: 1 })
    expect(scan('{"cases":[1e400],"cases":[1]}')).toMatchObject({ exactSkeleton: true, exact: Uint8Array.of(0) })
  })

  it('rejects bytes that are not UTF-8, and a byte order mark', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ]) {
      expect(refusal(Uint8Array.from(bytes))).toBe('malformed: invalid JSON body: not valid UTF-8')
    }
    expect(refusal('\ufeff{}')).toBe('malformed: invalid JSON body: starts with a byte order mark')
  })

  it.each([
    '{"cases":[1,]}',
    '{"cases":[,1]}',
    '{"cases":[1,,2]}',
    '{"cases":[,]}',
    '{"cases":[1}',
    '}',
    '{]]',
    '{"a',
    '{"a\\"',
    '{',
    '{"cases":[1',
  ])('rejects %s, which is not JSON', (source) => expect(refusal(source)).toMatch(/^malformed: invalid JSON body: /))

  it('allows a depth of 512 and rejects more immediately', () => {
    expect(MAX_DEPTH).toBe(512)
    expect(refusal(`${'['.repeat(512)}${']'.repeat(512)}`)).toBeNull()
    expect(refusal(`${'[{"a":'.repeat(256)}1${'}]'.repeat(256)}`)).toBeNull()
    expect(refusal(`{"cases":[${'['.repeat(511)}`)).toMatch(/^invalid: invalid run document: nested deeper than 512/)
    expect(refusal('['.repeat(1_000_000))).toMatch(/^invalid: /)
  })

  it('allows four million values, keys not counted, and rejects more', () => {
    const pairs = (count: number) => `{${'"a":1,'.repeat(count - 2)}"a":1}`
    expect(MAX_VALUES).toBe(4_000_000)
    expect(refusal(pairs(4_000_000))).toBeNull()
    expect(refusal(pairs(4_000_001))).toMatch(/^invalid: invalid run document: more than 4000000 values/)
    expect(refusal(`[${'[],""'.concat(',').repeat(1_999_999)}1]`)).toBeNull()
    expect(refusal(`[${'[],""'.concat(',').repeat(1_999_999)}1,2]`)).toMatch(/^invalid: /)
  })

  it('allows many keys, and about 300,000 distinct ones', () => {
    const documentWithKeys = (count: number, distinct: number) =>
      Buffer.from(`{"cases":[{${Array.from({ length: count }, (_, i) => `"k${i % distinct}":0`).join(',')}}]}`)
    expect(scanDocument(documentWithKeys(900_000, 5)).caseCount).toBe(1)
    expect(scanDocument(documentWithKeys(299_000, 299_000)).caseCount).toBe(1)
    expect(() => scanDocument(documentWithKeys(700_000, 700_000))).toThrow('more than 300000 distinct keys')
    // A recorded document is read without this limit.
    expect(scanDocument(documentWithKeys(700_000, 700_000), Number.POSITIVE_INFINITY).caseCount).toBe(1)
  })

  it('reads a view of a larger buffer', () => {
    const whole = Buffer.from('xx{"cases":[1,22]}yy')
    const { offsets, lengths, skeleton } = scanDocument(whole.subarray(2, -2))
    expect([[...offsets], [...lengths], Buffer.from(skeleton).toString()]).toEqual([[10, 12], [1, 2], '{"cases":[]}'])
  })
})

/** Returns the value as JSON if it is accepted, null if it is rejected. */
const byParser = (bytes: Buffer): string | null => {
  if (!isUtf8(bytes)) return null
  try {
    return JSON.stringify(JSON.parse(bytes.toString('utf8')))
  } catch {
    return null
  }
}

const byScanner = (bytes: Buffer): string | null => {
  try {
    const { skeleton, exactSkeleton, caseCount, offsets, lengths, exact } = scanDocument(bytes)
    const part = (source: string, isExact: boolean) => {
      const value: unknown = JSON.parse(source)
      if (!isExact && JSON.stringify(parseExact(source)) !== JSON.stringify(value))
        throw new Error(`inexact: ${source}`)
      return value
    }
    const document = part(Buffer.from(skeleton).toString('utf8'), exactSkeleton)
    const cases = Array.from({ length: caseCount }, (_, index) => {
      const [start = 0, length = 0] = [offsets[index], lengths[index]]
      const slice = bytes.toString('utf8', start, start + length)
      if (/^[ \t\n\r]|[ \t\n\r]$/.test(slice)) throw new Error(`white space: ${slice}`)
      return part(slice, exact[index] === 1)
    })
    return JSON.stringify(caseCount > 0 ? Object.assign(document as object, { cases }) : document)
  } catch (error) {
    if (error instanceof InvalidDocument || error instanceof SyntaxError) return null
    throw error
  }
}

const agree = (bytes: Buffer) => {
  if (byParser(bytes) === byScanner(bytes)) return byParser(bytes) !== null
  return expect.fail(
    `the parser returns ${byParser(bytes)}, the scanner ${byScanner(bytes)} for ${JSON.stringify(bytes.toString('latin1'))}`,
  )
}

/** Small, seeded and fast (mulberry32): the same documents in every run. */
const randomOf = (seed: number) => (below: number) => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % below
}

describe('scanner and parser', () => {
  // Most documents are rejected twice: the stack traces of the errors would take most of the time.
  const { stackTraceLimit } = Error
  beforeAll(() => void (Error.stackTraceLimit = 0))
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit))

  const SEEDS = [
    '{"schema_version":3,"cases":[{"a":1},{"b":[2,"x"]}],"summary":{"total":2}}',
    '{ "cases" : [ 1 , -0, "\\"" , [ ] , {} ] , "z" : 1e400 }',
    '{"cases":[1],"cases":[{"cases":[2]}],"c\\u0061ses":[3,9007199254740993]}',
    '{"a":{"cases":[1,2]},"cases":null,"b":"\\\\"}',
    '[{"cases":[true,false,null]}]',
    '{"cases":[[[["é😀\\ud800"]]],{"a":{"b":{"c":[1.5e-3]}}}]}',
    '{"cases":[]}',
    '{"__proto__":{"cases":[1]},"cases":[{"__proto__":1},"\\u0000"],"toJSON":1}',
    '{"\\u0063\\u0061\\u0073\\u0065\\u0073":[0.30000000000000004,1.0],"cases":{"cases":[1]}}',
  ].map((seed) => Buffer.from(seed))
  const PIECES = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    '1',
    '-',
    '0',
    'e',
    '.',
    'null',
    'true',
    '""',
    '[]',
    '{}',
    ',1',
    '1,',
    '"a":',
    '"cases":',
    '"cases":[',
    '"c\\u0061ses":',
    '],"cases":[',
    ',"cases":1',
    '\0',
    '\ufeff',
    '\u00a0',
    '\f',
    '\\u0022',
    '\\"',
    '-0',
    '1e400',
    '12345678901234567890',
    '"x",',
    '//',
  ]
    .map((piece) => Buffer.from(piece))
    .concat([Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0x80), Buffer.of(0xed, 0xa0, 0x80)])

  const mutated = (source: Buffer, random: (below: number) => number): Buffer => {
    const offset = random(source.length + 1)
    const piece = PIECES[random(PIECES.length)] ?? source
    switch (random(7)) {
      case 0: {
        const copy = Buffer.from(source)
        if (offset < copy.length) copy[offset] = (copy[offset] ?? 0) ^ (1 << random(8))
        return copy
      }
      case 1:
        return source.subarray(0, offset)
      case 2:
        return Buffer.concat([source.subarray(0, offset), source.subarray(offset + 1 + random(3))])
      case 3:
        return Buffer.concat([source.subarray(0, offset), source.subarray(random(source.length + 1))])
      default:
        return Buffer.concat([source.subarray(0, offset), piece, source.subarray(offset)])
    }
  }

  it('agree on 240,000 slightly broken documents', () => {
    const random = randomOf(20_260_504)
    let accepted = 0
    for (let n = 0; n < 240_000; n++) {
      let source: Buffer = SEEDS[random(SEEDS.length)] ?? Buffer.alloc(0)
      for (let times = 1 + random(3); times > 0; times--) source = mutated(source, random)
      if (agree(source)) accepted++
    }
    // Many documents are accepted and many are rejected.
    expect(accepted).toBeGreaterThan(20_000)
    expect(accepted).toBeLessThan(200_000)
  })

  it('agree on every short sequence of tokens in place of cases', () => {
    const TOKENS = ['[', ']', '{', '}', ',', ':', '"cases"', '1']
    const rows = (length: number): string[] =>
      length === 0 ? [''] : rows(length - 1).flatMap((row) => TOKENS.map((token) => row + token))
    for (const row of [0, 1, 2, 3, 4, 5].flatMap(rows)) {
      agree(Buffer.from(`{"cases":[${row}`))
      agree(Buffer.from(`{"cases":${row}}`))
      agree(Buffer.from(`{"cases":[${row}]}`))
    }
  })
})
