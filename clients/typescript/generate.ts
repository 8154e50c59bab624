import openapiTS, { astToString } from 'openapi-typescript'

const HEADER = `// Written by \`npm run clients\` from clients/openapi.json. Do not edit.\n\n`

/**
 * Returns the types of an OpenAPI document as TypeScript. Examples are left out: they would be comments of the types,
 * and longer than these.
 */
export const schemaText = async (document: object): Promise<string> =>
  HEADER + astToString(await openapiTS(withoutExamples(document) as never, { silent: true }))

const withoutExamples = (document: object): object =>
  JSON.parse(JSON.stringify(document, (key, value: unknown) => (key === 'example' ? undefined : value))) as object
