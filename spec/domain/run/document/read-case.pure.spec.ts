import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseExact } from '../../../../domain/run/canonical-json.ts'
import { outputText, promptProse, readCase, readSearchedTexts } from '../../../../domain/run/document.ts'
import { aCase } from '../../../support/documents/documents.ts'

/** Any token of a number, also those that no double represents. */
const number = fc.oneof(
  fc.constantFrom('-0', '1e400', '1.10', '0.1e-3', '12345678901234567890', '1.0', '-0.0', '5e-324', '9007199254740993'),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?$/),
)
const text = fc.oneof(
  fc.constantFrom('"-0"', '"1e5"', '"\\""', '"[,"'),
  fc.string().map((value) => JSON.stringify(value)),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    text,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc.tuple(text, tie('value')).map(([name, member]) => `{${name}:${String(member)}}`),
  ),
}))

it('a stored case has every number as it was uploaded, whichever way it is parsed', () => {
  const stored = JSON.stringify(aCase())
  fc.assert(
    fc.property(value, (raw) => {
      const bytes = Buffer.from(`${stored.slice(0, -1)},"raw":${String(raw)}}`)
      expect(JSON.stringify(readCase(bytes).raw)).toBe(JSON.stringify(parseExact(String(raw))))
    }),
  )
})

it('the texts that a search finds are those of the whole case, whichever way it is parsed', () => {
  const { output: _, prompt: __, ...others } = aCase({ tags: ['a', 'b'], error: 'none', name: 'A name' })
  const stored = JSON.stringify(others).slice(0, -1)
  fc.assert(
    fc.property(value, value, fc.boolean(), fc.boolean(), (output, args, hasCalls, isText) => {
      const calls = hasCalls ? `,"tool_calls":[{"name":"find","arguments":${String(args)}}]` : ''
      const prompt = `{"messages":[{"role":"user","content":"Say \\u0068i"${calls}}]}`
      const shown = isText ? JSON.stringify(String(output)) : String(output)
      const bytes = Buffer.from(`${stored},"output":${shown},"prompt":${prompt},"raw":${String(args)}}`)
      const whole = readCase(bytes)
      expect(readSearchedTexts(bytes)).toEqual({
        test_id: whole.cell.test_id,
        name: 'A name',
        output: outputText(whole.output) ?? '',
        reasons: whole.asserts.map(({ reason }) => reason),
        error: 'none',
        tags: 'a b',
        prompt: promptProse(whole.prompt),
      })
    }),
  )
})
