import { expect, it } from 'vitest'
import { pythonFiles } from '../../../clients/python/generate.ts'
import { servedDocument } from '../../support/openapi/served.ts'

const PACKAGE = '../../../clients/python/src/ers_client'

// To write the files again: npm run clients
it('the types and methods of the Python client are those of the served document', async () => {
  const { types, operations } = pythonFiles(await servedDocument())
  await expect(types).toMatchFileSnapshot(`${PACKAGE}/types.py`)
  await expect(operations).toMatchFileSnapshot(`${PACKAGE}/operations.py`)
})
