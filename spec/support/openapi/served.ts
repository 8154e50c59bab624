import { VERSION } from '../../../cli/version.ts'
import type { ApiDocument } from '../http/documented-answers.ts'
import { openApp } from '../servers/app.ts'

/** The OpenAPI document as the program of this version serves it, without the endpoint for agents. */
export const servedDocument = async (): Promise<ApiDocument> => {
  const spec = await openApp()
  const document = (await spec.sendAs(null)('GET', '/openapi.json')).json<ApiDocument>()
  await spec.close()
  return { ...document, info: { ...document.info, version: VERSION } }
}

/** The text of a JSON file in the repository. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
