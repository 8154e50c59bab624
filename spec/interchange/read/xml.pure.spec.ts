import { describe, expect, it } from 'vitest'
import { newLosses } from '../../../interchange/document/losses.ts'
import { xmlEvents } from '../../../interchange/read/xml.ts'

const chunksOf = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const read = async (xml: string | Uint8Array, size = 1_000_000, losses = newLosses()) =>
  (await Array.fromAsync(xmlEvents(chunksOf(Buffer.from(xml), size), losses))).flat()

describe('xmlEvents', () => {
  it('returns the same parts for any chunks', async () => {
    const xml = '\ufeff<?xml version="1.0"?><!-- c --><a é="ü &amp; &#233;"><b>t&lt;<![CDATA[<x>]]></b><c/></a>'
    const joined = async (size: number) => {
      const events = await read(xml, size)
      const texts = events.flatMap((event) => (event.kind === 'text' ? [event.text] : []))
      return [events.filter(({ kind }) => kind !== 'text'), texts.join('')]
    }
    const whole = await joined(1000)
    expect(whole[1]).toBe('t<<x>')
    for (const size of [1, 2, 3, 7]) expect(await joined(size)).toEqual(whole)
  })

  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /document type declaration/],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type declaration/],
    ['<a>&b;</a>', /undefined entity/],
    ['<a><b></a>', /not well-formed XML, at line 1/],
    ['<a/><b/>', /not well-formed XML/],
    ['<a>'.repeat(600), /nested deeper than 512/],
  ])('refuses %s', async (xml, reason) => {
    await expect(read(xml)).rejects.toThrow(reason)
  })

  it.each([
    ['a text', '<a>', 'x'],
    ['an attribute', '<a b="', 'x'],
    ['a comment', '<a><!--', 'x'],
    ['attributes', '<a', ' b="1"'],
  ])('refuses %s that is too long before it ends', async (_, start, part) => {
    let sent = 0
    const endless = async function* () {
      yield Buffer.from(start)
      for (; sent < 64; sent++)
        yield Buffer.from(Array.from({ length: 1000 }, (__, n) => part.replace('b', `b${sent}x${n}`)).join(''))
    }
    const reading = Array.fromAsync(xmlEvents(endless(), newLosses(), 10_000))
    await expect(reading).rejects.toThrow(/a text or a tag is longer than 10000 characters/)
    expect(sent).toBeLessThan(12)
  })

  it('accepts a text of 16 MiB, and no longer one', async () => {
    const text = (units: number) => `<a>${'x'.repeat(units)}`
    const mib16 = 16 * 1024 * 1024
    await expect(read(text(mib16 + 10))).rejects.toThrow(/longer than 16777216 characters/)
    await expect(read(text(mib16 - 10))).rejects.toThrow(/ends early/)
  })

  it('replaces characters that XML does not allow, and says so', async () => {
    const losses = newLosses()
    const events = await read('<a>\u001b[31mred&#27;</a>', 1000, losses)
    expect(events[1]).toEqual({ kind: 'text', text: '\ufffd[31mred&#27;' })
    expect(losses.all().map(({ kind }) => kind)).toEqual(['changed', 'changed'])
  })

  it('refuses bytes that are not UTF-8', () =>
    expect(read(Buffer.from('<a>é</a>', 'latin1'))).rejects.toThrow(/perhaps Latin-1/))

  it.each(['<a><b>t', '<?xml ver', '<a b="', '<a>&am', '<a><![CDATA[x', '<a><!--', ''])(
    'refuses a file that ends too early: %s',
    async (xml) => {
      await expect(read(xml)).rejects.toThrow(/^the XML ends early, at line 1, column \d+: |^not well-formed/)
    },
  )

  it.each([
    ['<a>\nx & y</a>', 2, 3],
    ['<a b="1 & 2"/>', 1, 9],
    ['<a>&&amp;</a>', 1, 4],
    ['<a>&;</a>', 1, 4],
    ['<a><!-- & --><![CDATA[&]]><?p &?>&lt; & ;</a>', 1, 39],
    [`<a>&${'x'.repeat(300)};</a>`, 1, 4],
  ])('refuses a & that begins no reference at its place: %s', async (xml, line, column) => {
    for (const size of [1, 2, 3, 1000])
      await expect(read(xml, size)).rejects.toThrow(
        `not well-formed XML, at line ${line}, column ${column}: a & that begins no reference`,
      )
  })

  it('accepts a & in comments, CDATA sections and instructions, and in references', async () => {
    const xml = '<a><!-- & --><![CDATA[a & b]]><?p & ?>&lt;&#38;&#x26;</a>'
    for (const size of [1, 2, 3, 1000]) {
      const events = await read(xml, size)
      expect(events.flatMap((event) => (event.kind === 'text' ? [event.text] : [])).join('')).toBe('a & b<&&')
    }
  })
})
