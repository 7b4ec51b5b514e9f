// Package arm64 holds the SM4 routines in assembly for 64-bit Arm and their
// declarations. It is empty on other processors and with the tag purego.
//
// Three tiers: ce is made of FEAT_SM4's instructions, one of which does four
// rounds; aese takes the S-box from the AES instructions; neon looks it up in
// registers with TBL, and needs nothing but Advanced SIMD. No routine has a
// branch or an address that depends on a key or on data.
package arm64
