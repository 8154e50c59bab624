import { expect, it } from 'vitest'
import { hasPython, runPythonTests } from '../../support/clients.ts'
import { startServer } from '../../support/servers/server.ts'

const isHere = await hasPython()

it(`the tests of the Python client pass against the service${isHere ? '' : ' (no python3 here: not run)'}`, async () => {
  if (!isHere) return
  const server = await startServer()
  try {
    const printed = await runPythonTests(server, ['tests.test_client', 'tests.test_transport', 'tests.test_gate'])
    expect(printed).toMatch(/Ran \d+ tests in .*\n\nOK\n$/)
  } finally {
    await server.stop()
  }
})
