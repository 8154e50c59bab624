import { expect, it } from 'vitest'
import { hasPython, runPythonTests } from '../../support/clients.ts'
import { startServer } from '../../support/servers/server.ts'

const isHere = await hasPython('pytest')

it(`the tests of the pytest plugin pass against the service${isHere ? '' : ' (no pytest here: not run)'}`, async () => {
  if (!isHere) return
  const server = await startServer()
  try {
    expect(await runPythonTests(server, ['tests.test_pytest_plugin'])).toMatch(/\nOK(?: \(skipped=2\))?\n$/)
  } finally {
    await server.stop()
  }
})
