import { STATES } from '../../support/every-page/states.ts'
import { visitStates } from '../../support/every-page/visit-states.ts'

// Without accounts and runs.
visitStates(STATES.EMPTY, async () => ({ session: '', users: {} }))
