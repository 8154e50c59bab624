import { grantAccess } from './access/grant-access.ts'
import { liftRestriction } from './access/lift-restriction.ts'
import { restrictSet } from './access/restrict-set.ts'
import { revokeAccess } from './access/revoke-access.ts'
import { changePassword } from './account/change-password.ts'
import { changeUser } from './account/change-user.ts'
import { createUser } from './account/create-user.ts'
import { deleteUser } from './account/delete-user.ts'
import { ensureAdmin } from './account/ensure-admin.ts'
import { setUp } from './account/set-up.ts'
import { mintBadgeKey } from './badge/mint-badge-key.ts'
import { revokeBadgeKeys } from './badge/revoke-badge-keys.ts'
import { pinBaseline } from './baseline/pin-baseline.ts'
import { unpinBaseline } from './baseline/unpin-baseline.ts'
import { deleteCheckpoints, keepCheckpoint, keepCosignatures } from './checkpoint/keep-checkpoint.ts'
import { eraseRecords } from './erasure/erase-records.ts'
import { liftHold } from './hold/lift-hold.ts'
import { placeHold } from './hold/place-hold.ts'
import { signInWithIdentity } from './identity/sign-in-with-identity.ts'
import { startSignIn } from './identity/start-sign-in.ts'
import { takeTransaction } from './identity/take-transaction.ts'
import type { ResultOf } from './command.ts'
import { changeLogKeys } from './log-key/change-log-keys.ts'
import { registerPlan } from './plan/register-plan.ts'
import { revealPlan } from './plan/reveal-plan.ts'
import { withdrawPlan } from './plan/withdraw-plan.ts'
import { mintKey } from './key/mint-key.ts'
import { revokeKey } from './key/revoke-key.ts'
import { noteUse } from './note-use.ts'
import { deleteRun } from './run/delete-run.ts'
import { expireRun } from './run/expire-run.ts'
import { ingestPrepared, ingestRun } from './run/ingest-run.ts'
import { recordEntryDeletion, recordPrune } from './service/record-eviction.ts'
import { recordRebuild } from './service/record-rebuild.ts'
import { recordStart } from './service/record-start.ts'
import { endSession } from './session/end-session.ts'
import { endSessions } from './session/end-sessions.ts'
import { refuseSignIn } from './session/refuse-sign-in.ts'
import { signIn } from './session/sign-in.ts'
import { signOut } from './session/sign-out.ts'
import { changeView } from './view/change-view.ts'
import { createView } from './view/create-view.ts'
import { deleteView } from './view/delete-view.ts'
import { createWebhook } from './webhook/create-webhook.ts'
import { deleteWebhook } from './webhook/delete-webhook.ts'
import { makeDeliveries } from './webhook/make-deliveries.ts'
import { dropDelivery, noteDelivery } from './webhook/note-delivery.ts'
import { pruneDeliveries } from './webhook/prune-deliveries.ts'
import { replaceWebhookSecret } from './webhook/replace-secret.ts'
import { releaseWebhookLease, takeWebhookLease } from './webhook/take-lease.ts'
import { testWebhook } from './webhook/test-webhook.ts'
import type { Viewer } from '../queries/access/viewer.ts'

/** Every command by name. The writer thread receives the name, the viewer and plain arguments. */
export const commands = {
  changeLogKeys,
  changePassword,
  changeUser,
  changeView,
  createUser,
  createView,
  createWebhook,
  deleteCheckpoints,
  deleteRun,
  deleteUser,
  deleteView,
  deleteWebhook,
  dropDelivery,
  endSession,
  endSessions,
  ensureAdmin,
  eraseRecords,
  expireRun,
  grantAccess,
  ingestPrepared,
  ingestRun,
  keepCheckpoint,
  keepCosignatures,
  liftHold,
  liftRestriction,
  makeDeliveries,
  mintBadgeKey,
  mintKey,
  noteDelivery,
  noteUse,
  pinBaseline,
  placeHold,
  pruneDeliveries,
  recordEntryDeletion,
  recordPrune,
  recordRebuild,
  recordStart,
  refuseSignIn,
  registerPlan,
  releaseWebhookLease,
  replaceWebhookSecret,
  restrictSet,
  revealPlan,
  revokeAccess,
  revokeBadgeKeys,
  revokeKey,
  setUp,
  signIn,
  signInWithIdentity,
  signOut,
  startSignIn,
  takeTransaction,
  takeWebhookLease,
  testWebhook,
  unpinBaseline,
  withdrawPlan,
}

export type CommandName = keyof typeof commands
export type CommandArguments<N extends CommandName> = Parameters<(typeof commands)[N]>[1]
export type CommandResult<N extends CommandName> = ResultOf<ReturnType<(typeof commands)[N]>>

/** Runs a command by name; settles when it is durable and visible to every read. */
export type Commit = <N extends CommandName>(
  name: N,
  viewer: Viewer,
  args: CommandArguments<N>,
) => Promise<CommandResult<N>>
