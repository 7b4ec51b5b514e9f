// Names for the instructions that Go's assembler lacks. Registers are given by
// their numbers: SM4E(24, 0) is SM4E V0.4S, V24.4S.

// SM4E: four rounds on the block in Vd with the four round keys in Vk.
#define SM4E(k, d) WORD $(0xCEC08400 | (k)<<5 | (d))

// SM4EKEY: four round keys in Vd from the four before, in Vn, and CK in Vm.
#define SM4EKEY(m, n, d) WORD $(0xCE60C800 | (m)<<16 | (n)<<5 | (d))

// SSHR Vd.2D, Vn.2D, #63: all bits of each half become its top bit.
#define SIGNS(n, d) WORD $(0x4F410400 | (n)<<5 | (d))
