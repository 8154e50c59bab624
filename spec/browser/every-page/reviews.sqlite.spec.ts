import { STATES } from '../../support/every-page/states.ts'
import { visitStates } from '../../support/every-page/visit-states.ts'

visitStates(STATES.REVIEWS)
