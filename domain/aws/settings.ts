/** The credentials of requests to AWS. */
export type AwsCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

type Variables = Readonly<Record<string, string | undefined>>

/** The settings of an AWS account. `credentials` is null if there are none, neither in the environment nor in the profile. */
export type AwsSettings = {
  readonly credentials: AwsCredentials | null
  readonly region: string
  readonly profile: string
}

/**
 * The settings of an AWS account: those of the environment, else those of a profile in the files of the AWS tools. `readText` returns a
 * file, or null if there is none.
 */
export const readAwsSettings = (
  env: Variables,
  home: string,
  readText: (path: string) => string | null,
): AwsSettings => {
  const profile = env['AWS_PROFILE'] || 'default'
  const file = (variable: string, name: string): string => env[variable] || `${env['HOME'] || home}/.aws/${name}`
  const stored = section(readText(file('AWS_SHARED_CREDENTIALS_FILE', 'credentials')), [profile])
  const config = section(readText(file('AWS_CONFIG_FILE', 'config')), [profile, `profile ${profile}`])
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || config.get('region') || 'us-east-1'

  const [id, secret] = [env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY']]
  const own = {
    accessKeyId: id ?? '',
    secretAccessKey: secret ?? '',
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
  }
  if (id && secret) return { credentials: own, region, profile }
  const all = new Map([...config, ...stored])
  const [accessKeyId, secretAccessKey] = [all.get('aws_access_key_id'), all.get('aws_secret_access_key')]
  if (!accessKeyId || !secretAccessKey) return { credentials: null, region, profile }
  const sessionToken = all.get('aws_session_token') || undefined
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, region, profile }
}

/** Returns the settings of the sections with one of these names in a text of the INI format. */
const section = (text: string | null, names: readonly string[]): ReadonlyMap<string, string> => {
  const settings = new Map<string, string>()
  let isIn = false
  for (const line of (text ?? '').split('\n').map((line) => line.trim())) {
    if (line.startsWith('[')) isIn = names.includes(line.slice(1, line.lastIndexOf(']')).trim())
    else if (isIn && line.includes('=') && !/^[#;]/.test(line)) {
      const at = line.indexOf('=')
      settings.set(line.slice(0, at).trim(), line.slice(at + 1).trim())
    }
  }
  return settings
}
