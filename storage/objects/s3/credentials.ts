import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { z } from 'zod'
import { readAwsSettings, type AwsCredentials } from '../../../domain/aws/settings.ts'
import { isLoopback } from './loopback.ts'

/** No credentials can be had; `mayPass`: there may be some later. It has no secret, and no cause, which could quote one. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials'
  readonly mayPass: boolean
  constructor(message: string, { mayPass = false }: { readonly mayPass?: boolean } = {}) {
    super(message)
    this.mayPass = mayPass
  }
}

export type Credentials = {
  /** Throws `NoCredentials`. */
  readonly region: string
  /** Those that are valid now. Throws `NoCredentials`. */
  readonly current: () => Promise<AwsCredentials>
  /** Reads them again, because they were refused. Returns whether they are others. */
  readonly renew: (refused: AwsCredentials) => Promise<boolean>
}

type Variables = Readonly<Record<string, string | undefined>>
type Options = {
  readonly env: Variables
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly readText?: ((path: string) => string | null) | undefined
}

const readIfPresent = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new NoCredentials(`${path} cannot be read: ${String((error as NodeJS.ErrnoException).code)}`)
  }
}

/** Hosts that the documents of ECS and EKS name. */
const CONTAINER_HOSTS = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])
const ECS = 'http://169.254.170.2'
const CONTAINER_TIMEOUT_MS = 5000

/** Credentials are asked for again so long before they expire. */
const EARLY_MS = 5 * 60_000

const ContainerAnswer = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().optional(),
  Expiration: z.string().optional(),
})

/** Credentials that a header can carry, without space around them. Throws `NoCredentials`, which does not quote them. */
const checked = (credentials: AwsCredentials): AwsCredentials => {
  const given = Object.entries(credentials).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value.trim()] as const],
  )
  for (const [name, value] of given)
    if (!/^[\x20-\x7e]+$/.test(value)) throw new NoCredentials(`the AWS credentials have an invalid ${name}`)
  return { ...credentials, ...Object.fromEntries(given) }
}

type Known = { readonly credentials: AwsCredentials; readonly expiresAt: number }

/** The address at which a container gets credentials, or null. Throws `NoCredentials` for an http address of any other host. */
const containerUrl = (env: Variables): string | null => {
  const [relative, full] = [env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'], env['AWS_CONTAINER_CREDENTIALS_FULL_URI']]
  // Without a slash the host could be another one.
  if (relative && !relative.startsWith('/'))
    throw new NoCredentials('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with a slash')
  if (relative) return `${ECS}${relative}`
  if (!full) return null
  const url = URL.canParse(full) ? new URL(full) : null
  const isAllowed =
    url !== null &&
    (url.protocol === 'https:' ||
      (url.protocol === 'http:' && (isLoopback(url.hostname) || CONTAINER_HOSTS.has(url.hostname))))
  if (!isAllowed)
    throw new NoCredentials('AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or an http URL of this machine')
  return full
}

/**
 * The credentials of the environment, of a profile in the files of the AWS tools, or of the container (ECS, EKS), in this order. Those of a
 * container are renewed before they expire, and all of them when they are refused.
 */
export const openCredentials = ({ env, fetch, now, readText = readIfPresent }: Options): Credentials => {
  const settings = () => readAwsSettings(env, homedir(), readText)
  let known: Promise<Known> | null = null

  const ofContainer = async (url: string): Promise<Known> => {
    const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
    const token = (file ? readText(file)?.trim() : undefined) || env['AWS_CONTAINER_AUTHORIZATION_TOKEN']
    let answer: z.infer<typeof ContainerAnswer>
    try {
      const response = await fetch(url, {
        redirect: 'error',
        signal: AbortSignal.timeout(CONTAINER_TIMEOUT_MS),
        ...(token ? { headers: { authorization: token } } : {}),
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      answer = ContainerAnswer.parse(await response.json())
    } catch {
      throw new NoCredentials('the container gives no AWS credentials', { mayPass: true })
    }
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = answer
    const expires = Expiration === undefined ? NaN : Date.parse(Expiration)
    return {
      credentials: checked({ accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token }),
      expiresAt: Number.isNaN(expires) ? Infinity : expires,
    }
  }

  const read = async (): Promise<Known> => {
    const { credentials, profile } = settings()
    if (credentials !== null) return { credentials: checked(credentials), expiresAt: Infinity }
    const url = containerUrl(env)
    if (url !== null) return ofContainer(url)
    throw new NoCredentials(
      `no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add the profile ${profile} to ~/.aws/credentials`,
    )
  }

  const readOnce = (): Promise<Known> =>
    (known ??= read().catch((error: unknown) => {
      known = null
      throw error
    }))

  return {
    get region() {
      const { region } = settings()
      if (/^[a-z0-9-]+$/.test(region)) return region
      throw new NoCredentials(
        'AWS_REGION, or the region of the profile, must have lower-case letters, digits and hyphens',
      )
    },
    current: async () => {
      const found = await readOnce()
      if (found.expiresAt - EARLY_MS > now()) return found.credentials
      known = read().catch((error: unknown): Known => {
        // While the old ones are valid, they do until new ones can be had.
        if (found.expiresAt > now()) return found
        known = null
        throw error
      })
      return (await known).credentials
    },
    renew: async (refused) => {
      const before = known
      if (before !== null && (await before).credentials === refused) known = null
      const { accessKeyId, secretAccessKey, sessionToken } = (await readOnce()).credentials
      return (
        accessKeyId !== refused.accessKeyId ||
        secretAccessKey !== refused.secretAccessKey ||
        sessionToken !== refused.sessionToken
      )
    },
  }
}
