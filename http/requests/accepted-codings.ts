/** The content codings that a client accepts by name. */
export const acceptedCodings = (header: string | undefined): ReadonlySet<string> =>
  new Set(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .flatMap((coding) => {
        const [name = '', ...weights] = coding.split(';').map((part) => part.trim())
        return weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight)) ? [] : [name]
      }),
  )
