import { findHold, type HoldView } from '../../../queries/runs/holds.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

export const A_HOLD = 'a legal hold'

/** Finds a hold. Refuses: not_found. */
export const readHold = async (reader: Services['reader'], hold_id: string): Promise<HoldView> =>
  mustExist(await reader.read(findHold(hold_id)), 'hold')
