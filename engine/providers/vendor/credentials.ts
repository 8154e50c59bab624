import type { Ports } from '../../ports.ts'
import { ProviderFailure } from '../provider.ts'
import type { VendorSpec } from '../../suite/suite.ts'
import { FAMILIES, type VendorFamily } from './families.ts'

/** The value of the first variable that is not blank, without blanks at both ends; null: none is. */
export const findCredential = (
  family: VendorFamily,
  spec: Pick<VendorSpec, 'api_key_env'>,
  env: Ports['env'],
): { readonly name: string; readonly value: string } | null => {
  for (const name of credentialVariables(family, spec)) {
    const value = env[name]?.trim() ?? ''
    if (value !== '') return { name, value }
  }
  return null
}

/** The variables that may hold the credential, in order of preference. */
export const credentialVariables = (family: VendorFamily, spec: Pick<VendorSpec, 'api_key_env'>): readonly string[] =>
  spec.api_key_env ?? [FAMILIES[family].keyVariable]

/** Says that none of the variables of a credential is set. */
export const missingCredential = (family: VendorFamily, spec: Pick<VendorSpec, 'api_key_env'>): string => {
  const names = credentialVariables(family, spec).map((name) => `\`${name}\``)
  return names.length === 1
    ? `environment variable ${names[0]} is not set (or is empty)`
    : `none of the environment variables ${names.join(', ')} is set (or all are empty)`
}

/** No variable of the credential is set: nothing was sent. */
export class CredentialMissing extends ProviderFailure {
  constructor(family: VendorFamily, spec: Pick<VendorSpec, 'api_key_env'>) {
    super(missingCredential(family, spec), { errorClass: 'provider_auth' })
  }
}
