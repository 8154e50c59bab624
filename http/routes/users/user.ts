import { z } from 'zod'
import { findUserView, type UserView } from '../../../queries/access/users.ts'
import { ROLES } from '../../../queries/access/viewer.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

export const Role = z.enum(ROLES)

/** Finds an account. Refuses: not_found. */
export const readUser = async (reader: Services['reader'], user_id: string): Promise<UserView> =>
  mustExist(await reader.read(findUserView(user_id)), 'user')
