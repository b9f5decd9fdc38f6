/** The headers of every answer: nothing is cached, framed, sniffed or fetched from elsewhere. */

/**
 * For an answer at this Host (already checked to be loopback's). `connect-src` names the WebSocket's scheme as well, since not every
 * browser reads it out of 'self'.
 */
export function securityHeaders(host: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' blob: data:",
      `connect-src 'self' ws://${host}`,
      "worker-src 'self' blob:",
      "font-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=(self), clipboard-write=(self)",
    "cache-control": "no-store",
  };
}
