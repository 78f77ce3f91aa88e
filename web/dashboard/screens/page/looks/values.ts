/** The looks of a page as a form has them; an empty colour is the usual one. */
export type LooksValues = {
  name: string;
  accent: string;
  historyDays: number | null;
  footerLinks: { label: string; url: string }[];
  logoAlone: boolean;
};

/** The body of a change; a link without both texts was begun and is no link. */
export function looksBody({ accent, footerLinks, historyDays, ...rest }: Partial<LooksValues>): object {
  return {
    ...rest,
    ...(accent !== undefined && { accent: accent.trim() === '' ? null : accent.trim() }),
    ...(historyDays !== undefined && historyDays !== null && { historyDays }),
    ...(footerLinks && {
      footerLinks: footerLinks.filter(({ label, url }) => label.trim() !== '' || url.trim() !== ''),
    }),
  };
}
