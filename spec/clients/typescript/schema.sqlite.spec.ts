import { expect, it } from 'vitest'
import { schemaText } from '../../../clients/typescript/generate.ts'
import { servedDocument } from '../../support/openapi/served.ts'

// To write the file again: npm run clients
it('the types of the TypeScript client are those of the served document', async () => {
  await expect(await schemaText(await servedDocument())).toMatchFileSnapshot(
    '../../../clients/typescript/src/schema.ts',
  )
})
