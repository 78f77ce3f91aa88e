import { fileURLToPath } from 'node:url';
import { type Card, cardFontFamily, renderCard } from './card.js';

const fontFile = fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf'));

/** Draws the picture in another thread, as PNG. A service that never shows one does not load what draws it. */
export async function drawCard(card: Card): Promise<Buffer<ArrayBuffer>> {
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(renderCard(card), {
    font: { fontFiles: [fontFile], loadSystemFonts: false, defaultFontFamily: cardFontFamily },
  });
  return Buffer.from(image.asPng());
}
