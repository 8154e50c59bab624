/**
 * What each type of event says, in words: of all that is known about a type, only this is loaded by pages. What the service
 * does with it is described next to its data, in `commands/<stream>/events.ts`.
 */
export const EVENT_WORDS = {
  RunIngested: 'Run uploaded',
  RunDeleted: 'Run deleted',
  RunAnnotated: 'Title, note or tags added',
  BaselinePinned: 'Baseline pinned',
  BaselineUnpinned: 'Baseline removed',
  BadgeKeyMinted: 'Badge key made',
  BadgeKeysRevoked: 'Badge keys revoked',
  SetRestricted: 'Access restricted',
  RestrictionLifted: 'Restriction lifted',
  AccessGranted: 'Access granted',
  AccessRevoked: 'Access revoked',
  UserCreated: 'Account made',
  UserChanged: 'Account changed',
  UserDeleted: 'Account deleted',
  IdentityLinked: 'Identity linked',
  SignedIn: 'Signed in',
  SignedOut: 'Signed out',
  SessionsEnded: 'Sessions ended',
  SignInRefused: 'Sign-in refused',
  KeyMinted: 'API key made',
  KeyRevoked: 'API key revoked',
  Started: 'Server started',
  ProjectionRebuilt: 'Read tables rebuilt',
  CachePruned: 'Cache pruned',
  CacheEntryDeleted: 'Cache entry removed',
  LogKeyAdopted: 'Signing key adopted',
  LogKeyRetired: 'Signing key retired',
  EventErased: 'Record erased',
  HoldPlaced: 'Legal hold placed',
  HoldLifted: 'Legal hold lifted',
  PlanRegistered: 'Plan registered',
  PlanRevealed: 'Plan revealed',
  PlanWithdrawn: 'Plan withdrawn',
  SuiteSettingChanged: 'Owner, snooze or archive of a suite changed',
  WebhookCreated: 'Webhook made',
  WebhookSecretReplaced: 'Webhook secret replaced',
  WebhookDisabled: 'Webhook switched off',
  WebhookDeleted: 'Webhook deleted',
} as const

export type EventName = keyof typeof EVENT_WORDS

/** The words of a type; a type that this page does not know keeps its name. */
export const eventWords = (type: string): string => (EVENT_WORDS as Readonly<Record<string, string>>)[type] ?? type
