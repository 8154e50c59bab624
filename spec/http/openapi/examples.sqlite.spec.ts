import { beforeAll, describe, expect, it } from 'vitest'
import { answerChecker, type ApiDocument } from '../../support/http/documented-answers.ts'
import { makeExamples } from '../../support/openapi/examples.ts'
import { jsonText, servedDocument } from '../../support/openapi/served.ts'

describe('the examples of the OpenAPI document', () => {
  let document: ApiDocument
  beforeAll(async () => void (document = await servedDocument()))

  // To write the file again: npx vitest run -u --project sqlite spec/http/openapi
  it('are what the service answers for the committed runs', async () =>
    await expect(jsonText(await makeExamples())).toMatchFileSnapshot('../../../http/openapi/examples.json'))

  it('fit their schemas', () => {
    const { compile, pointer } = answerChecker(document)
    let count = 0
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { responses, requestBody }] of Object.entries(methods))
        for (const [parts, content] of [
          [['requestBody'], requestBody?.content],
          ...Object.entries(responses).map(([status, { content }]) => [['responses', status], content] as const),
        ] as const) {
          const { example } = content?.['application/json'] ?? {}
          if (example === undefined) continue
          count += 1
          const validate = compile(pointer('paths', path, method, ...parts, 'content', 'application/json', 'schema'))
          expect([validate(example), validate.errors], `${method} ${path} ${parts.join(' ')}`).toEqual([true, null])
        }
    expect(count).toBeGreaterThan(15)
  })
})
