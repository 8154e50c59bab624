import { describe } from 'vitest'
import { setUp } from '../../support/browser.ts'
import { STATES } from '../../support/every-page/states.ts'
import { visitStates } from '../../support/every-page/visit-states.ts'

describe('a server without accounts', () =>
  visitStates(STATES.WITHOUT_ACCOUNTS, async () => ({
    session: '',
    users: {},
    links: { invite: '', reset: '' },
    queues: { open: '', closed: '' },
  })))
describe('a server without runs', () =>
  visitStates(STATES.WITHOUT_RUNS, async ({ url }) => ({
    session: await setUp(url),
    users: {},
    links: { invite: '', reset: '' },
    queues: { open: '', closed: '' },
  })))
