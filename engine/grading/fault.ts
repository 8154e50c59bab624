import { messageOf } from '../../domain/plain/message-of.ts'
import type { Verdict } from '../assertions/assertion.ts'
import { CacheMiss } from '../cache/cached-calls.ts'
import { ProgramFailure } from '../processes/program.ts'
import { ProviderFailure } from '../providers/provider.ts'
import type { Redactor } from '../providers/redactor.ts'
import { CredentialMissing } from '../providers/vendor/credentials.ts'
import { HttpStatusFailure } from '../providers/wire/exchange.ts'
import { TemplateError } from '../templates/templates.ts'
import { BadTemplate } from './judge-prompt.ts'
import { UnusableVerdict } from './verdict.ts'

type Fault = Extract<Verdict, { readonly status: 'error' }>

/** Grading that cannot start: nothing is configured for it, or what is configured cannot be used. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured'
}

/** A program that ran, but gave no verdict. */
export class CheckerFault extends Error {
  override readonly name = 'CheckerFault'
}

/** The verdict of a grading call that failed. Every error becomes one, so that trouble of a grader is never a pass. */
export const faultVerdict = (error: unknown, redactor: Redactor): Fault => ({
  status: 'error',
  reason: redactor.text(`grader error: ${messageOf(error)}`),
  ...classified(error),
})

const classified = (error: unknown): Pick<Fault, 'error_class' | 'exit_code'> => {
  if (error instanceof CacheMiss) return { error_class: 'cache_miss' }
  if (error instanceof BadTemplate)
    return { error_class: 'grader_missing', ...(error.contradictsFlag ? { exit_code: 3 } : {}) }
  if (error instanceof Misconfigured || error instanceof TemplateError || error instanceof CredentialMissing)
    return { error_class: 'grader_missing' }
  if (error instanceof CheckerFault || error instanceof ProgramFailure) return { error_class: 'checker_failed' }
  if (error instanceof UnusableVerdict) return { error_class: 'grader_failed' }
  return { error_class: error instanceof ProviderFailure ? classOfCall(error) : 'grader_failed' }
}

const classOfCall = (error: ProviderFailure): string => {
  // A response of status 408 is a timeout.
  if (error instanceof HttpStatusFailure && error.status === 408) return 'grader_unavailable'
  return CLASSES[error.errorClass] ?? 'grader_failed'
}

/** The class of a grading fault for each class of a provider call. */
const CLASSES: Readonly<Record<string, string>> = {
  // Those of embeddings are classified already.
  grader_missing: 'grader_missing',
  grader_unavailable: 'grader_unavailable',
  provider_auth: 'provider_auth',
  provider_request: 'grader_missing',
  render_failed: 'grader_missing',
  provider_rate_limit: 'grader_unavailable',
  provider_unavailable: 'grader_unavailable',
  provider_timeout: 'grader_unavailable',
}
