// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Votes} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Votes.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// Votes of an ERC-20, by blocks.
contract BlockToken is ERC20("Block", "BLK"), EIP712("Block", "1"), ERC20Votes {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    /// Many events in one transaction.
    function scatter(address[] calldata to, uint256 amount) external {
        for (uint256 i = 0; i < to.length; i++) _transfer(msg.sender, to[i], amount);
        _delegate(msg.sender, to[0]);
        _delegate(msg.sender, to[1]);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }
}

/// The same, by timestamps.
contract TimeToken is BlockToken {
    function clock() public view override returns (uint48) {
        return uint48(block.timestamp);
    }

    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
    }
}

/// Votes of an ERC-721: one a token.
contract ItemToken is ERC721("Item", "ITM"), EIP712("Item", "1"), ERC721Votes {
    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function _update(address to, uint256 id, address auth) internal override(ERC721, ERC721Votes) returns (address) {
        return super._update(to, id, auth);
    }

    function _increaseBalance(address account, uint128 amount) internal override(ERC721, ERC721Votes) {
        super._increaseBalance(account, amount);
    }
}
