import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnNames, csvRecords } from '../../../../interchange/read/rows/csv.ts'

const chunksOf = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const read = async (text: string | Uint8Array, size = 1_000_000, delimiter = ',') =>
  (await Array.fromAsync(csvRecords(chunksOf(Buffer.from(text), size), { delimiter, isExact: true }))).flat()
const fieldsOf = async (text: string, size?: number, delimiter?: string) =>
  (await read(text, size, delimiter)).map((record) => ('fields' in record ? record.fields : record.bad))

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

describe('csvRecords', () => {
  it('reads what a writer of RFC 4180 wrote, in any chunks', async () => {
    const field = fc.oneof(fc.constant(null), fc.stringMatching(/^[a,"é\r\n ']{0,6}$/))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          const text = rows
            .map((row) => row.map((value) => (value === null ? '' : quoted(value))).join(','))
            .join('\r\n')
          expect(await fieldsOf(`x,y\r\n${text}\r\n`, size)).toEqual([['x', 'y'], ...rows])
        },
      ),
    )
  })

  it('skips a byte order mark and blank lines, and takes other delimiters', async () => {
    expect(await fieldsOf('\ufeffa;b\n\n1;2\n', 3, ';')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  it('numbers rows, and says which one is not closed', async () => {
    expect(await read('a\nb\n"c d')).toEqual([
      { row: 1, fields: ['a'] },
      { row: 2, fields: ['b'] },
      { row: 3, bad: 'a quote is not closed', isCut: true },
    ])
  })

  it.each([
    ['a,b\n1,"x\n2,y\n', 2],
    ['a,b\n1,"x', 2],
    ['a,b\n1,2\n"3\n4",5\n6,"x\n7,y', 5],
  ])('refuses a quote that is never closed and has taken rows, or the only one: %j', async (text, line) => {
    await expect(read(text)).rejects.toThrow(`a quote opens in line ${line} and is never closed`)
  })

  it('takes a quote in the middle of a field as a character', async () => {
    expect(await fieldsOf('5" disk,"a"b\nc,d\n')).toEqual([
      ['5" disk', '"a"b'],
      ['c', 'd'],
    ])
  })

  it('refuses other encodings', () =>
    expect(read(Buffer.from('a,é\n', 'latin1'))).rejects.toThrow(/perhaps Latin-1 or Windows-1252/))
})

describe('columnNames', () => {
  it('refuses more than 10,000 columns, and names the limit', () => {
    const header = (count: number) => Array.from({ length: count }, () => 'a')
    expect(columnNames(header(10_000)).at(-1)).toBe('a [10000]')
    expect(() => columnNames(header(10_001))).toThrow('has 10001 columns: at most 10000 are read')
  })

  it('names empty columns and distinguishes equal ones', () =>
    expect(columnNames(['a', null, 'a', ' b ', 'a [2]'])).toEqual(['a', 'column 2', 'a [2]', 'b', 'a [2] [2]']))
})
