import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import client from '../../clients/typescript/package.json' with { type: 'json' }
import root from '../../package.json' with { type: 'json' }

it('the clients have the version and the licence of the service, and the library that the specs use', () => {
  const python = readFileSync(new URL('../../clients/python/pyproject.toml', import.meta.url), 'utf8')
  expect([client.version, client.license]).toEqual([root.version, root.license])
  expect(python).toContain(`\nversion = "${root.version}"\n`)
  expect(python).toContain(`\nlicense = "${root.license}"\n`)
  expect(client.dependencies['openapi-fetch']).toBe(root.devDependencies['openapi-fetch'])
})
